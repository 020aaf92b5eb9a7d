import { minuteMs } from '../harness/testClock.ts';
/** What a wallet and its bookings should do, in plain code: the model that the product is compared with. */

export interface ModelOffer {
  priceCents: number;
  /** Null for a fare that gives nothing back. */
  penaltyCents: number | null;
  mayHold: boolean;
  expiresAtMs: number;
}

export interface ModelBooking {
  offer: ModelOffer;
  status: 'pending' | 'confirmed' | 'ticketed' | 'cancelled' | 'expired' | 'failed';
  wasPaid: boolean;
  /** Null while a paid booking has not ended. */
  refundCents: number | null;
  /** The supplier is still to be asked to hold it. */
  isUnasked: boolean;
  /** What the airline says when it is asked. */
  plan: 'issuing' | 'ticketed' | 'refused';
  hasTickets: boolean;
}

export interface Model {
  nowMs: number;
  creditedCents: number;
  recharges: { cents: number; expiresAtMs: number; isPaid: boolean }[];
  offers: ModelOffer[];
  bookings: ModelBooking[];
}

export const emptyModel = (nowMs: number): Model => ({
  nowMs,
  creditedCents: 0,
  recharges: [],
  offers: [],
  bookings: [],
});

const sum = <T>(items: T[], centsOf: (item: T) => number) =>
  items.reduce((total, item) => total + centsOf(item), 0);

/** Everything that came in and was not spent: the sum of money. */
export const balanceCents = ({ creditedCents, bookings }: Model) =>
  creditedCents -
  sum(bookings, ({ wasPaid, offer, refundCents }) => (wasPaid ? offer.priceCents - (refundCents ?? 0) : 0));

export const heldCents = ({ bookings }: Model) =>
  sum(bookings, ({ status, offer }) => (status === 'pending' ? offer.priceCents : 0));

const availableCents = (model: Model) => balanceCents(model) - heldCents(model);

/** Null when it happens, else the message of the refusal. */
export type Verdict = string | null;

export function search(model: Model, offer: Omit<ModelOffer, 'expiresAtMs'>): void {
  model.offers.push({ ...offer, expiresAtMs: model.nowMs + 20 * minuteMs });
}

export function requestRecharge(model: Model, cents: number): void {
  model.recharges.push({ cents, expiresAtMs: model.nowMs + 30 * minuteMs, isPaid: false });
}

export function pay(model: Model, index: number): Verdict {
  const recharge = model.recharges[index]!;
  if (recharge.isPaid) return null;
  if (model.nowMs >= recharge.expiresAtMs) return 'Recharge already expired';
  recharge.isPaid = true;
  model.creditedCents += recharge.cents;
  return null;
}

export function book(model: Model, index: number, type: 'instant' | 'hold'): Verdict {
  const offer = model.offers[index]!;
  if (model.nowMs >= offer.expiresAtMs) return 'Offer expired';
  if (type === 'hold' && !offer.mayHold) return 'Offer requires instant payment';
  if (offer.priceCents > availableCents(model)) return 'Insufficient balance';
  const isHold = type === 'hold';
  model.bookings.push({
    offer,
    status: isHold ? 'pending' : 'confirmed',
    wasPaid: !isHold,
    refundCents: null,
    isUnasked: isHold,
    plan: 'issuing',
    hasTickets: false,
  });
  return null;
}

export function confirm(model: Model, booking: ModelBooking): Verdict {
  const { status, offer } = booking;
  if (status === 'expired' || (status === 'pending' && model.nowMs >= offer.expiresAtMs))
    return 'Offer expired';
  if (status !== 'pending') return `Booking already ${status}`;
  booking.status = 'confirmed';
  booking.wasPaid = true;
  return null;
}

export function cancel(booking: ModelBooking): Verdict {
  const { status, offer } = booking;
  if (status === 'cancelled' || status === 'expired' || status === 'failed')
    return `Booking already ${status}`;
  const { priceCents, penaltyCents } = offer;
  if (booking.wasPaid) {
    booking.refundCents = penaltyCents === null ? 0 : Math.max(priceCents - penaltyCents, 0);
  }
  booking.status = 'cancelled';
  return null;
}

export function expire(model: Model): void {
  for (const booking of model.bookings) {
    if (booking.status === 'pending' && booking.offer.expiresAtMs <= model.nowMs) booking.status = 'expired';
  }
}

/** The airline is asked for all that is still to be asked. */
export function askAirline(model: Model): void {
  for (const booking of model.bookings) {
    const { status, plan } = booking;
    if (status === 'pending' && booking.isUnasked && plan === 'refused') booking.status = 'failed';
    else if (status === 'confirmed' && plan === 'ticketed') {
      booking.status = 'ticketed';
      booking.hasTickets = true;
    } else if (status === 'confirmed' && plan === 'refused') {
      booking.status = 'failed';
      booking.refundCents = booking.offer.priceCents;
    }
    booking.isUnasked = false;
  }
}
