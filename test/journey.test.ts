import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { balancePayment, travellersOf } from './bookings/bookingSteps.ts';
import { pixOf } from './doors/door.ts';
import { testCertificates } from './harness/certificates.ts';
import type { Json } from './harness/client.ts';
import { eventually } from './harness/client.ts';
import { describeEngines } from './harness/engines.ts';
import { ledgerBreaks } from './harness/ledger.ts';
import type { ReceivedRequest, Receiver } from './harness/receiver.ts';
import { answer, startReceiver } from './harness/receiver.ts';
import type { TestServer } from './harness/server.ts';
import { startTestServer } from './harness/server.ts';
import type { Subscriber } from './harness/subscribers.ts';
import { transports } from './harness/subscribers.ts';

const everyEvent = [
  'wallet.recharge.pending',
  'wallet.recharge.completed',
  'wallet.credit',
  'wallet.debit',
  'wallet.low_balance',
  'booking.created',
  'booking.confirmed',
  'booking.ticketed',
  'booking.cancelled',
  'booking.updated',
];

const allEvents = `subscription { walletEvents: events { id type data { object previousAttributes } } }`;

/** Checks both signatures of a delivery, as a receiver should. @returns the event. */
function verified({ headers, body }: ReceivedRequest, secret: string): Json {
  const text = body.toString();
  const signature = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.${text}`);
  expect(headers['x-service-signature']).toBe(signature.digest('hex'));
  return new Verifier(secret).verify(text, headers);
}

describeEngines('the whole journey of an agency', (engine) => {
  let server: TestServer;
  let receiver: Receiver;
  let watching: Subscriber;

  beforeAll(async () => {
    receiver = await startReceiver(answer(200));
    server = await startTestServer(engine, {
      webhookAuthority: (await testCertificates()).authority,
      settings: { WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true', SIMULATED_TICKETING_DELAY: '100ms' },
    });
  });
  afterAll(async () => {
    watching?.cut();
    await server?.close();
    await receiver?.close();
  });

  /** A subscription does not say when it stands, but shows what happens from then on. */
  const stands = (happen: () => Promise<string>) =>
    eventually(async () => {
      const id = await happen();
      const seen = () => watching.events.some(({ data }) => data.object.id === id);
      return eventually(seen, 500).catch(() => false);
    });

  it('recharges by PIX, searches, books, is ticketed, cancels and gets its refund, and is told of each', async () => {
    const { live: key } = await server.createTeam({ markupPercent: '10', feeAmount: '35.00' });
    const post = async (path: string, body?: Json) =>
      (await server.rest('POST', path, { key, ...(body ? { body } : {}) })).body;
    const get = async (path: string) => (await server.rest('GET', `/api/v1${path}`, { key })).body.data;
    const balance = async () => {
      const {
        balance: total,
        available_credit: available,
        pending_amount: pending,
      } = await get('/wallet/balance');
      return [total, available, pending];
    };

    // Somebody watches over a WebSocket, and a server of the agency's is called by webhooks.
    const [overWebSocket] = transports;
    watching = overWebSocket!.subscribe(server.url, { key, query: allEvents });
    await stands(async () => (await post('/api/v1/wallet/recharge', pixOf('100.00'))).data.id);
    const seenBefore = watching.events.length;
    const { secret } = (await post('/api/v1/webhooks', { url: receiver.url('/hook'), events: everyEvent }))
      .data;

    // 2000.00 by PIX; the simulated bank pays it.
    const recharge = (await post('/api/v1/wallet/recharge', pixOf('2000.00'))).data;
    await post(`/simulator/recharges/${recharge.id}/pay`);
    expect(await balance()).toEqual(['2000.00', '2000.00', '0.00']);

    // A flight to Rio that gives something back.
    const departureDate = new Date(Date.now() + 40 * 24 * 3_600_000).toISOString().slice(0, 10);
    const found = await post('/api/v1/flights/search', {
      type: 'one_way',
      slices: [{ origin: 'GRU', destination: 'GIG', departureDate }],
      passengers: [{ type: 'adult', count: 1 }],
    });
    const offer = found.offers.find(({ conditions, client_amount: price }: Json) => {
      const { allowed, penalty_amount: penalty } = conditions.refund_before_departure;
      return allowed && Number(penalty) > 0 && Number(penalty) < Number(price) && Number(price) < 2000;
    });
    const price = Number(offer.client_amount);
    const penalty = Number(offer.conditions.refund_before_departure.penalty_amount);

    // Booked and paid at once; the airline issues the ticket a moment later.
    const booking = (
      await post('/api/v1/bookings', {
        offerId: offer.id,
        type: 'instant',
        passengers: travellersOf(offer),
        payments: balancePayment(offer.client_amount),
      })
    ).data;
    expect(booking).toMatchObject({ status: 'confirmed', total_amount: offer.client_amount });
    const left = (2000 - price).toFixed(2);
    expect(await balance()).toEqual([left, left, '0.00']);
    const ticketed = await eventually(async () => {
      const seen = await get(`/bookings/${booking.id}`);
      return seen.status === 'ticketed' && seen;
    });
    expect(ticketed.documents).toEqual([
      {
        type: 'electronic_ticket',
        unique_identifier: expect.stringMatching(/^\d{3}-\d{10}$/),
        passenger_id: offer.passengers[0].id,
      },
    ]);

    // The plans change: the price comes back, less the penalty.
    const cancelled = (await post(`/api/v1/bookings/${booking.id}/cancel`)).data;
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      refund_amount: (price - penalty).toFixed(2),
      penalty_amount: penalty.toFixed(2),
    });
    const after = (2000 - penalty).toFixed(2);
    expect(await balance()).toEqual([after, after, '0.00']);
    const { transactions, summary } = await get('/wallet/transactions');
    expect(
      transactions.map((entry: Json) => [
        entry.type,
        entry.reference_type,
        entry.amount,
        entry.balance_after,
      ]),
    ).toEqual([
      ['credit', 'refund', cancelled.refund_amount, after],
      ['debit', 'booking', offer.client_amount, left],
      ['credit', 'recharge', '2000.00', '2000.00'],
    ]);
    expect(summary.total_debits).toBe(offer.client_amount);

    // All of it was told, in this order, to whoever watched, and delivered with signatures that libraries verify.
    const lowBalance = price > 1500 ? ['wallet.low_balance'] : [];
    const story = [
      'wallet.recharge.pending',
      'wallet.credit',
      'wallet.recharge.completed',
      'booking.created',
      'wallet.debit',
      'booking.confirmed',
      ...lowBalance,
      'booking.ticketed',
      'booking.updated',
      'wallet.credit',
      'booking.cancelled',
      'booking.updated',
    ];
    const events = (await watching.sees(seenBefore + story.length)).slice(seenBefore);
    expect(events.map(({ type }) => type)).toEqual(story);
    expect(events.at(-1).data.previousAttributes).toEqual({ status: 'ticketed' });
    const deliveries = await eventually(() => {
      const received = receiver.requests.filter(({ method }) => method === 'POST');
      return received.length >= story.length && received.map((request) => verified(request, secret));
    });
    const byId = new Map(deliveries.map((event) => [event.id, event]));
    expect(byId.size).toBe(story.length);
    for (const { id, type, data } of events) {
      const delivered = byId.get(id);
      expect([delivered.type, delivered.data.object]).toEqual([type, data.object]);
      expect(delivered.data.previous_attributes ?? null).toEqual(data.previousAttributes);
    }
    const { sequelize } = server.running.gateway.platform;
    expect(await ledgerBreaks(sequelize)).toEqual([]);
  });
});
