/**
 * The one error type of the product. Every refusal that a client may see is an AppError; anything else is a
 * fault of ours and reaches clients as INTERNAL_ERROR without its text.
 */
export const errorCodes = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'OFFER_EXPIRED',
  'INSUFFICIENT_BALANCE',
  'BOOKING_ALREADY_CANCELLED',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/**
 * One bad field of a request: its path (`slices.0.origin`) and what is wrong with it. The domain names its arguments; the
 * doors rename them as their client spelt them.
 */
export interface FieldFault {
  field: string;
  /** Machine-readable reason, such as `required`, `invalid`, `too_small`, `repeated`. */
  type: string;
}

/** A bad field, and the message of a refusal that it comes first in, where it has one of its own. */
export interface MessagedFault extends FieldFault {
  readonly message?: string;
}

export type ErrorDetails = Record<string, unknown>;

/**
 * What kind of refusal it is, from which rest/errors.ts derives its status:
 * `bad_request` 400, `method_not_allowed` 405, `request_timeout` 408, `conflict` 409, `expectation_failed` 417,
 * `unprocessable` 422, `headers_too_large` 431; the rest follow from the code alone.
 */
export type ErrorKind =
  | 'bad_request'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'expectation_failed'
  | 'unprocessable'
  | 'headers_too_large';

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind | undefined;
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message: string,
    options: { kind?: ErrorKind; details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.kind = options.kind;
    this.details = options.details ?? {};
  }
}

export const invalidParameters = 'Invalid request parameters';

/** What SPEC has a bad value of these refused with; any other is refused with "Invalid request parameters". */
export const badValueMessages = {
  paymentMethod: 'Invalid payment method',
  currency: 'Invalid currency',
  events: 'Invalid events',
  airport: 'Invalid airport code',
  departureDate: 'Invalid date format',
  url: 'Invalid URL',
} as const;

/**
 * More bad fields than any request can have that is meant well; no more are named. A body of 1 MiB has room for three
 * million, and the answer that names them takes seconds to write.
 */
export const mostFaults = 100;

/** 400. `faults` are the bad fields, the first of which is shown as `details.field` and `details.type`. */
export function validationError(
  faults: FieldFault | FieldFault[],
  message: string = invalidParameters,
): AppError {
  const errors = Array.isArray(faults) ? faults.slice(0, mostFaults) : [faults];
  const first = errors[0];
  return new AppError('VALIDATION_ERROR', message, {
    kind: 'bad_request',
    details: first ? { field: first.field, type: first.type, errors } : {},
  });
}

/** The same with the message of the first fault. */
export const refusalOf = (faults: readonly MessagedFault[]): AppError =>
  validationError(
    faults.map(({ field, type }) => ({ field, type })),
    faults[0]?.message,
  );

/**
 * Runs the checks of several fields and returns what each of them makes of its own.
 * @throws AppError 400 with the faults of all that refuse, and the message of the first of them.
 */
export function checkEach<Values>(checks: { readonly [Name in keyof Values]: () => Values[Name] }): Values {
  const values: Partial<Values> = {};
  const refusals: AppError[] = [];
  for (const name of Object.keys(checks) as (keyof Values)[]) {
    try {
      values[name] = checks[name]();
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'bad_request') throw error;
      refusals.push(error);
    }
  }
  const [first] = refusals;
  if (!first) return values as Values;
  throw validationError(
    refusals.flatMap(({ details }) => details.errors as FieldFault[]),
    first.message,
  );
}

/** 422: well formed, refused by a business rule. */
export function unprocessable(
  message: string,
  details: ErrorDetails = {},
  code: ErrorCode = 'VALIDATION_ERROR',
): AppError {
  return new AppError(code, message, { kind: 'unprocessable', details });
}

/** 409: refused because of the state the resource is in. */
export function conflict(
  message: string,
  details: ErrorDetails = {},
  code: ErrorCode = 'VALIDATION_ERROR',
): AppError {
  return new AppError(code, message, { kind: 'conflict', details });
}

/** 405 for a path that is there, but not with this method. */
export const wrongMethod = new AppError('VALIDATION_ERROR', 'Method not allowed', {
  kind: 'method_not_allowed',
  details: { field: 'method', type: 'not_allowed' },
});

/** 404 with SPEC's wording, e.g. `notFound('Recharge')` says "Recharge not found". */
export function notFound(noun: string): AppError {
  return new AppError('NOT_FOUND', `${noun} not found`);
}

/** 401: no key, or none that is valid. */
export function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'Unauthorized');
}

/** 429, over a limit. */
export class RateLimitExceeded extends AppError {
  constructor() {
    super('RATE_LIMIT_EXCEEDED', 'Rate limit exceeded');
  }
}
