import { randomUUID } from 'node:crypto';
import { balancePayment, requestFor } from '../bookings/bookingSteps.ts';
import { oneWay } from '../flights/searches.ts';
import type { Json } from '../harness/client.ts';
import type { TestServer } from '../harness/server.ts';
import { pixOf } from './door.ts';

/**
 * For every operation that agencies have, a request that nothing is wrong with, in the names of its arguments. All that
 * an operation takes is there: what is not cannot be tried.
 */

/** What a team has in a mode, by the ids under which it is asked for. */
export interface Belongings {
  readonly recharge: string;
  readonly booking: string;
  /** A booking that is not paid, and what would pay it. */
  readonly hold: string;
  readonly payments: Json;
  /** A request for an offer that is not booked yet. */
  readonly bookingRequest: Json;
  readonly offer: string;
  readonly offerRequest: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly event: string;
}

const webhookOf = () => ({
  url: `https://localhost:4443/hooks/${randomUUID()}`,
  events: ['wallet.recharge.pending'],
});

/** Members that a REST request has no place for. */
const webhookExtras = { description: 'Vendas', headers: [{ name: 'x-agency', value: 'sales' }] };

/** With these a traveller has every member that there is. */
const family = [
  { type: 'adult', count: 1 },
  { type: 'infant_without_seat', count: 1 },
];
const passport = { type: 'passport', number: 'FZ123456', issuing_country: 'BR', expires_on: '2031-01-01' };

const page = { page: 1, limit: 20 };

/** Has everything that can be asked for by an id, in the mode of the key. */
export async function furnish(server: TestServer, key: string, mode: 'live' | 'test'): Promise<Belongings> {
  const post = async (path: string, body: Json): Promise<Json> => {
    const answer = await server.rest('POST', path, { key, body });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body.data ?? answer.body;
  };
  const { id: webhook } = await post('/api/v1/webhooks', webhookOf());
  const paid = await post('/api/v1/wallet/recharge', pixOf('5000.00'));
  const payment = mode === 'live' ? '/simulator/recharges' : '/api/v1/test_helpers/recharges';
  await post(`${payment}/${paid.id}/pay`, {});
  const { id: recharge } = await post('/api/v1/wallet/recharge', pixOf('100.00'));
  const found = await post('/api/v1/flights/search', oneWay('GRU-GIG', undefined, { passengers: family }));
  const [booked, free = booked] = found.offers;
  const holdable = found.offers.find((one: Json) => !one.payment_requirements.requires_instant_payment);
  const { id: booking } = await post('/api/v1/bookings', requestFor(booked));
  const { id: hold } = await post('/api/v1/bookings', requestFor(holdable, 'hold'));
  const payments = balancePayment(holdable.client_amount);
  const [told] = await server.query<{ event_id: string }>(
    'SELECT event_id FROM webhook_deliveries WHERE webhook_id = $1 LIMIT 1',
    [webhook],
  );
  const event = told?.event_id as string;
  const delivery = `${event}.${webhook}`;
  const [offer, offerRequest] = [free.id, found.id];
  const bookingRequest = requestFor(free);
  bookingRequest.passengers[0].identity_document = passport;
  return { recharge, booking, hold, payments, bookingRequest, offer, offerRequest, webhook, delivery, event };
}

const recharge = ({ recharge: id }: Belongings) => ({ id });
const booking = ({ booking: id }: Belongings) => ({ id });
const webhook = ({ webhook: id }: Belongings) => ({ id });

/** What names something that a team has. */
export const namingRequests: Readonly<Record<string, (of: Belongings) => Json>> = {
  recharge,
  cancelRecharge: recharge,
  payTestRecharge: recharge,
  expireTestRecharge: recharge,
  failTestRecharge: recharge,
  offer: ({ offer: id }) => ({ id }),
  offerRequest: ({ offerRequest: id }) => ({
    id,
    sort: 'total_amount',
    filter: { maxStops: 2, carriers: ['LA'], minPrice: '0.00', maxPrice: '9000.00' },
    ...page,
  }),
  booking,
  createBooking: ({ bookingRequest, offer }) => ({ ...bookingRequest, offerId: offer }),
  confirmBooking: ({ hold: id, payments }) => ({ id, payments }),
  cancelBooking: booking,
  expireTestBooking: ({ hold: id }) => ({ id }),
  webhook,
  updateWebhook: (of) => ({ ...webhook(of), ...webhookOf(), ...webhookExtras, active: false }),
  rotateWebhookSecret: webhook,
  sendTestEvent: ({ webhook: webhookId }) => ({ webhookId, type: 'wallet.debit' }),
  webhookDeliveries: ({ webhook: webhookId, delivery: before }) => ({
    webhookId,
    before,
    eventType: ['wallet.recharge.pending'],
    status: ['failed'],
    statusCode: 503,
    since: '2026-01-01T00:00:00.000Z',
    until: '2027-01-01T00:00:00.000Z',
    limit: 20,
  }),
  webhookDelivery: ({ delivery: id }) => ({ id }),
  webhookAttempts: ({ delivery: deliveryId }) => ({ deliveryId, before: 5, limit: 20 }),
  redeliverWebhookDelivery: ({ delivery: id }) => ({ id }),
  replayWebhookDeliveries: ({ webhook: webhookId }) => ({ webhookId, since: '2026-01-01T00:00:00.000Z' }),
  deleteWebhook: webhook,
};

/** What names nothing. */
export const otherRequests: Readonly<Record<string, () => Json>> = {
  walletBalance: () => ({}),
  walletTransactions: () => ({ ...page, type: 'credit', startDate: '0001-01-01', endDate: '9999-12-31' }),
  recharges: () => ({ ...page, status: 'pending' }),
  bookings: () => ({
    ...page,
    status: 'confirmed',
    createdAfter: '2026-11-01',
    orderBy: 'created_at',
    orderDir: 'asc',
  }),
  webhooks: () => page,
  eventTypes: () => ({}),
  latestEventId: () => ({}),
  flightSearch: () => ({ search: oneWay('GRU-GIG', undefined, { cabinClass: 'economy' }) }),
  createRecharge: () => ({ amount: '100.00', currency: 'BRL', paymentMethod: 'pix' }),
  createWebhook: () => ({ ...webhookOf(), ...webhookExtras }),
};

export const subscriptionRequests: Readonly<Record<string, (of: Belongings) => Json>> = {
  walletEvents: ({ event: after }) => ({ after, types: ['wallet.recharge.pending'] }),
  events: ({ event: after }) => ({ after, types: ['wallet.recharge.pending'] }),
  rechargeUpdated: ({ event: after, recharge: id }) => ({ after, id }),
  bookingUpdated: ({ event: after, booking: id }) => ({ after, id }),
};
