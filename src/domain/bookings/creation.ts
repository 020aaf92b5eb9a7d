import { checkEach } from '../../errors.ts';
import { instantsOfLocalTime } from '../../infrastructure/flights/localTime.ts';
import type { Traveller } from '../../infrastructure/flights/order.ts';
import { identifierBatch } from '../../infrastructure/identifiers/identifierBatch.ts';
import type { FlightOffer } from '../flights/offer.ts';
import type { UsableOffer } from '../flights/offerStore.ts';
import { findUsableOffer } from '../flights/offerStore.ts';
import { offerExpired } from '../flights/refusals.ts';
import type { IdempotencyRow } from '../idempotency/keySql.ts';
import { inSnakeCase } from '../memberNames.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { BookedPassenger, BookingRow, BookingTerms, BookingType } from './booking.ts';
import type { BookingPayment } from './payment.ts';
import { checkPayment, readPayment } from './payment.ts';
import { postBooking } from './posting.ts';
import { newReference } from './reference.ts';
import { instantPaymentRequired } from './refusals.ts';
import { sealTravellers } from './sealedTravellers.ts';
import { transitions } from './transitions.ts';
import type { TravellerInput } from './travellers.ts';
import { readTravellers } from './travellers.ts';

export interface BookingRequest {
  readonly offerId: string;
  readonly type: BookingType;
  readonly passengers: readonly TravellerInput[];
  /** Needed for an instant booking; a hold may leave them to its confirmation. */
  readonly payments: readonly BookingPayment[] | null;
}

/** A booking that is still to be written. */
export interface PreparedBooking {
  readonly booking: BookingRow;
  /**
   * Writes it, takes or reserves its money and tells its events, together with its Idempotency-Key.
   * @throws AppError 422 INSUFFICIENT_BALANCE "Insufficient balance".
   */
  post(key: IdempotencyRow | null): Promise<void>;
}

/**
 * Checks a booking against its offer: all that needs no lock.
 * @throws AppError 400 with every bad field, 404 "Offer not found", 422 OFFER_EXPIRED "Offer expired",
 *   "Flight supplier not connected", "Offer requires instant payment" or "Payment amount does not match".
 */
export async function prepareBooking(
  tenant: Tenant,
  request: BookingRequest,
  platform: Platform,
): Promise<PreparedBooking> {
  const usable = await findUsableOffer(tenant, request.offerId, platform);
  const { travellers, payment } = checkEach({
    travellers: () => readTravellers(request.passengers, usable.offer, platform.clock.now()),
    payment: () => readPayment(request.type, request.payments),
  });
  if (request.type === 'hold') checkHold(usable.offer, platform.clock.now());
  if (payment) checkPayment(payment, usable.internals.clientAmountCents);
  const reference = await newReference(platform.sequelize);
  const booking = rowOf(tenant, { request, usable, travellers, reference }, platform);
  return { booking, post: (key) => postBooking(booking, key, platform) };
}

/** @throws AppError 422 where the offer must be paid at once, or the time to pay it later has passed. */
function checkHold(offer: FlightOffer, now: Date): void {
  if (offer.paymentRequirements.requiresInstantPayment) {
    throw instantPaymentRequired();
  }
  const deadline = paymentDeadlineOf(offer);
  if (now < deadline) return;
  throw offerExpired({ offer_id: offer.id, payment_required_by: deadline.toISOString() });
}

interface BookingParts {
  readonly request: BookingRequest;
  readonly usable: UsableOffer;
  readonly travellers: readonly Traveller[];
  readonly reference: string;
}

/** The booking as it stands once it is written. */
function rowOf(
  { walletId, teamId, mode }: Tenant,
  { request: { type }, usable: { offer, internals }, travellers, reference }: BookingParts,
  { vault, clock }: Platform,
): BookingRow {
  const now = clock.now();
  const isHold = type === 'hold';
  const newId = identifierBatch();
  return {
    id: newId('ord'),
    wallet_id: walletId,
    team_id: teamId,
    mode,
    booking_reference: reference,
    carrier_reference: null,
    type,
    status: transitions[isHold ? 'hold' : 'book'].to,
    amount_cents: internals.clientAmountCents.toString(),
    offer_id: offer.id,
    supplier: internals.supplier,
    supplier_reference: internals.supplierReference,
    passengers: travellers.map(asBooked),
    sealed_travellers: sealTravellers(travellers, vault),
    slices: inSnakeCase(offer.slices),
    documents: [],
    terms: termsOf(offer),
    departs_at: departureOf(offer),
    payment_required_by: isHold ? paymentDeadlineOf(offer) : null,
    debit_id: isHold ? null : newId('txn'),
    refund_id: null,
    refund_cents: null,
    created_at: now,
    updated_at: now,
    confirmed_at: isHold ? null : now,
    ticketed_at: null,
    ended_at: null,
  };
}

const asBooked = ({ id, type, givenName, familyName }: Traveller): BookedPassenger => ({
  id,
  type,
  given_name: givenName,
  family_name: familyName,
});

const termsOf = ({ conditions, exchangeRateUsed, passengers }: FlightOffer): BookingTerms => ({
  conditions,
  exchangeRate: String(exchangeRateUsed),
  fareBrandName: passengers[0]?.fareBrandName ?? '',
});

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
 * Until when a held booking can be confirmed: the supplier's payment deadline, but never beyond the time until which the
 * carrier guarantees the price, since the agency pays what it reserved, nor beyond the offer's own life, because its
 * price is only pinned until then. No offer outlives its first departure.
 */
function paymentDeadlineOf({ expiresAt, paymentRequirements }: FlightOffer): Date {
  const { priceGuaranteeExpiresAt, paymentRequiredBy } = paymentRequirements;
  const deadlines = [expiresAt, priceGuaranteeExpiresAt, paymentRequiredBy].filter((time) => time !== null);
  return new Date(Math.min(...deadlines.map((time) => Date.parse(time))));
}
