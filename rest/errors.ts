import type { AppError, ErrorCode, ErrorKind } from '../src/errors.ts';

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

/** HTTP status of a refusal. */
export function statusOf(error: AppError): number {
  const status = statusOfCode[error.code];
  return status === 'by kind' ? statusOfKind[error.kind ?? 'bad_request'] : status;
}
