import { run } from '../../infrastructure/database/statement.ts';
import { instantsOfLocalTime } from '../../infrastructure/flights/localTime.ts';
import type { Traveller } from '../../infrastructure/flights/order.ts';
import { newIdentifier } from '../../infrastructure/identifier.ts';
import { type AppError, unprocessable, validationError } from '../errors.ts';
import { announceEvents } from '../events/recording.ts';
import type { FlightOffer } from '../flights/offer.ts';
import type { UsableOffer } from '../flights/offerStore.ts';
import { findUsableOffer } from '../flights/offerStore.ts';
import { inSnakeCase } from '../memberNames.ts';
import { formatAmount } from '../money.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { BookedPassenger, BookingRow, BookingTerms, BookingType } from './booking.ts';
import { createBooking, newEventIds } from './bookingSql.ts';
import { announceOrders } from './orderTask.ts';
import type { BookingPayment } from './payment.ts';
import { checkPayments } from './payment.ts';
import type { TravellerInput } from './travellers.ts';
import { readTravellers } from './travellers.ts';

export interface BookingRequest {
  readonly offerId: string;
  readonly type: BookingType;
  readonly passengers: readonly TravellerInput[];
  /** Needed for an instant booking; a hold may leave them to its confirmation. */
  readonly payments: readonly BookingPayment[] | null;
}

/**
 * Checks a booking against its offer: all that needs no lock.
 * @returns what writes the booking, takes or reserves its money and tells its events in one statement: AppError 422
 *   INSUFFICIENT_BALANCE "Insufficient balance" when that does not suffice.
 * @throws AppError 400 with every bad field of the passengers, 404 "Offer not found", 422 OFFER_EXPIRED "Offer expired",
 *   "Offer requires instant payment" or "Payment amount does not match".
 */
export async function prepareBooking(
  tenant: Tenant,
  request: BookingRequest,
  platform: Platform,
): Promise<() => Promise<BookingRow>> {
  const usable = await findUsableOffer(tenant, request.offerId, platform);
  const travellers = readTravellers(request.passengers, usable.offer, platform.clock.now());
  checkTerms(request, usable);
  const written = rowOf(request, usable, travellers, platform);
  return async () => {
    const now = platform.clock.now();
    const [booking] = await run(
      platform.sequelize,
      createBooking[request.type === 'hold' ? 'hold' : 'book'],
      [
        newIdentifier('ord'),
        tenant.walletId,
        usable.terms.clientAmountCents.toString(),
        now,
        newEventIds(),
        ...written,
        request.type === 'hold' ? null : newIdentifier('txn'),
      ],
    );
    if (!booking) throw insufficientBalance(usable.terms.clientAmountCents);
    announceEvents(tenant.walletId, platform);
    announceOrders(platform);
    return booking;
  };
}

function insufficientBalance(amountCents: bigint): AppError {
  return unprocessable('Insufficient balance', { amount: formatAmount(amountCents) }, 'INSUFFICIENT_BALANCE');
}

function checkTerms({ type, payments }: BookingRequest, { offer, terms }: UsableOffer): void {
  if (type === 'instant' && !payments) throw validationError({ field: 'payments', type: 'required' });
  if (type === 'hold' && offer.paymentRequirements.requiresInstantPayment) {
    throw unprocessable('Offer requires instant payment', {
      field: 'type',
      type: 'instant_payment_required',
    });
  }
  if (payments) checkPayments(payments, terms.clientAmountCents);
}

/** The values of the booking's row that are known before it is written, in the statement's order from $6 on. */
function rowOf(
  { type }: BookingRequest,
  { offer, terms }: UsableOffer,
  travellers: readonly Traveller[],
  { vault }: Platform,
): unknown[] {
  const passengers: BookedPassenger[] = travellers.map((traveller) => ({
    id: traveller.id,
    type: traveller.type,
    given_name: traveller.givenName,
    family_name: traveller.familyName,
  }));
  const bookingTerms: BookingTerms = {
    conditions: offer.conditions,
    exchangeRate: String(offer.exchangeRateUsed),
    fareBrandName: offer.passengers[0]?.fareBrandName ?? '',
  };
  return [
    offer.id,
    terms.supplier,
    terms.supplierReference,
    JSON.stringify(passengers),
    vault.seal(JSON.stringify(travellers)),
    JSON.stringify(inSnakeCase(offer.slices)),
    JSON.stringify(bookingTerms),
    departureOf(offer),
    type === 'hold' ? paymentDeadlineOf(offer) : null,
  ];
}

/** The first departure as an instant. */
function departureOf({ slices }: FlightOffer): Date {
  const [slice] = slices;
  const [segment] = slice?.segments ?? [];
  const localMs = segment ? Date.parse(`${segment.departingAt}Z`) : Number.NaN;
  const [instantMs] = slice ? instantsOfLocalTime(slice.origin.timeZone, localMs) : [];
  if (instantMs === undefined) throw new Error('an offer departs at no time');
  return new Date(instantMs);
}

/**
 * Until when a held booking can be confirmed: the supplier's payment deadline, but never beyond the offer's own life,
 * because its price is only pinned until then.
 */
function paymentDeadlineOf(offer: FlightOffer): Date {
  const { paymentRequiredBy } = offer.paymentRequirements;
  const deadlines = [offer.expiresAt, ...(paymentRequiredBy === null ? [] : [paymentRequiredBy])];
  return new Date(Math.min(...deadlines.map((deadline) => Date.parse(deadline))));
}
