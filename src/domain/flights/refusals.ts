import type { AppError } from '../../errors.ts';
import { notFound, unprocessable } from '../../errors.ts';
import type { RateFault } from '../../infrastructure/exchangeRates/exchangeRates.ts';

/** What is refused of searches and offers, each made in one place: the documentation shows the very same. */

export const offerNotFound = () => notFound('Offer');

/** What an offer could not be used for any more, and since when. Instants are ISO 8601 in UTC. */
type PassedDeadline =
  | { readonly offer_id: string; readonly expires_at: string }
  | { readonly offer_id: string; readonly payment_required_by: string }
  | { readonly booking_id: string; readonly payment_required_by: string | null };

/** 422 OFFER_EXPIRED: the time in which an offer could be booked, or a hold of it confirmed, has passed. */
export function offerExpired(details: PassedDeadline): AppError {
  return unprocessable('Offer expired', details, 'OFFER_EXPIRED');
}

export const supplierNotConnected = () =>
  unprocessable('Flight supplier not connected', { field: 'offerId', type: 'not_connected' });

/** Why no supplier has answered: there is none to ask, none was in time, or all failed. */
export type SearchFault = 'not_connected' | 'timeout' | 'failed';

export const searchUnavailable = (reason: SearchFault) =>
  unprocessable('Flight search unavailable', { reason });

export const rateUnavailable = (currency: string, reason: RateFault) =>
  unprocessable('Exchange rate unavailable', { currency, reason });
