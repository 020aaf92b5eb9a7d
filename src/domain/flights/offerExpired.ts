import type { AppError, ErrorDetails } from '../../errors.ts';
import { unprocessable } from '../../errors.ts';

/** 422 OFFER_EXPIRED: the time in which an offer could be booked, or a hold of it confirmed, has passed. */
export function offerExpired(details: ErrorDetails): AppError {
  return unprocessable('Offer expired', details, 'OFFER_EXPIRED');
}
