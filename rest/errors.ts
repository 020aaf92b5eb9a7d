import { type AppError, type ErrorCode, type ErrorKind, errorCodes } from '../src/errors.ts';

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  bad_request: 400,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  expectation_failed: 417,
  unprocessable: 422,
  headers_too_large: 431,
};

/** The one table from code to status. A code that is refused in several ways says which by its kind. */
const statusOfCode = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  VALIDATION_ERROR: 'by kind',
  OFFER_EXPIRED: 422,
  INSUFFICIENT_BALANCE: 422,
  BOOKING_ALREADY_CANCELLED: 409,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
} as const satisfies Record<ErrorCode, number | 'by kind'>;

/** Codes that say by themselves which status they have. */
export type CodeOfOneStatus = {
  [Code in ErrorCode]: (typeof statusOfCode)[Code] extends number ? Code : never;
}[ErrorCode];

/** HTTP status of a refusal. */
export function statusOf(error: AppError): number {
  const status = statusOfCode[error.code];
  return status === 'by kind' ? statusOfKind[error.kind ?? 'bad_request'] : status;
}

/** HTTP status of every refusal with this code. */
export const statusOfEach = (code: CodeOfOneStatus): number => statusOfCode[code];

/** The code that a refusal with this status has where nothing more is known of it. @throws Error for one that none has. */
export function usualCodeOf(status: number): ErrorCode {
  const code = Object.values(statusOfKind).includes(status)
    ? errorCodes.find((one) => statusOfCode[one] === 'by kind')
    : errorCodes.find((one) => statusOfCode[one] === status);
  if (!code) throw new Error(`nothing is refused with the status ${status}`);
  return code;
}
