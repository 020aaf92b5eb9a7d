import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expireOverdueBookings } from '../../src/domain/bookings/expiry.ts';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import { formatAmount } from '../../src/domain/money.ts';
import { dataOf, pixOf } from '../doors/door.ts';
import { newTeamKeys } from '../doors/keys.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { Airline, ticketed } from './airline.ts';
import type { Real } from './bookingCommands.ts';
import { histories } from './bookingCommands.ts';
import type { Model, ModelBooking } from './bookingModel.ts';
import * as model from './bookingModel.ts';
import { balanceCents, emptyModel, heldCents, requestRecharge, search } from './bookingModel.ts';
import type { BookingStage } from './bookingSteps.ts';
import { doorsAt, moneyOf, offered, requestFor } from './bookingSteps.ts';

/** Ordinarily all runs fit; a machine that is busy makes fewer. */
const longestMs = 7_000;
/** Taken however slow the machine is. */
const fewestSteps = 30;

describeEngines('bookings under any history', (engine) => {
  const clock = new TestClock();
  const airline = new Airline();
  const plans = new Map<string, ModelBooking['plan']>();
  let server: TestServer;
  let steps = 0;

  beforeAll(async () => {
    // Sweeps and workers are steps of the histories.
    server = await startTestServer(engine, { clock, settings: { ROLES: 'api' }, flightSuppliers: [airline] });
    airline.answers.hold = async ({ bookingId }) =>
      plans.get(bookingId) === 'refused' ? { state: 'refused', reason: 'no space' } : { state: 'held' };
    airline.answers.issue = async (request) => {
      const plan = plans.get(request.bookingId) ?? 'issuing';
      if (plan === 'ticketed') return ticketed(request);
      return plan === 'refused' ? { state: 'refused', reason: 'sold out' } : { state: 'issuing' };
    };
  });
  afterAll(() => server?.close());

  async function work(): Promise<void> {
    const { platform } = server.running.gateway;
    const worker = new OrderDispatcher(platform);
    await worker.start();
    await worker.sweep();
    await eventually(async () => {
      const [[row]] = (await platform.sequelize.query(
        `SELECT count(*)::int AS left FROM bookings WHERE order_token IS NOT NULL OR order_due_at <= $1`,
        { bind: [clock.now()] },
      )) as [[{ left: number }], unknown];
      return row.left === 0;
    });
    await worker.stop();
  }

  /** What can be seen of the wallet and its bookings, and the proof of the ledger. */
  async function check(key: string, ids: string[], expected: Model): Promise<void> {
    const [door] = doorsAt(server.url);
    const [balance, held] = [BigInt(balanceCents(expected)), BigInt(heldCents(expected))];
    expect(await moneyOf(door, key)).toEqual([balance, balance - held, held].map(formatAmount));
    const { items } = dataOf(await door.bookings(key, { limit: 100 }));
    const seen = new Map<string, Json>(items.map((booking: Json) => [booking.id, booking]));
    expect(seen.size).toBe(ids.length);
    expect(
      ids.map((id) => [seen.get(id)?.status, seen.get(id)?.refund_amount, seen.get(id)?.documents.length]),
    ).toEqual(
      expected.bookings.map(({ status, refundCents, hasTickets }) => [
        status,
        refundCents === null ? undefined : formatAmount(BigInt(refundCents)),
        hasTickets ? 1 : 0,
      ]),
    );
    const { sequelize } = server.running.gateway.platform;
    expect(await ledgerBreaks(sequelize)).toEqual([]);
  }

  /** A new agency with 1500.00 and an offer of 300.00 that may be held, in the product and in the model. */
  async function begin(isOver: () => boolean): Promise<{ model: Model; real: Real }> {
    const { live: key } = await newTeamKeys(server);
    const expected = emptyModel(clock.now().getTime());
    const door = () => doorsAt(server.url)[real.answers.size % 2]!;
    const stage = { airline, server } as BookingStage;
    const real: Real = {
      recharges: [],
      offers: [],
      bookings: [],
      answers: new Map(),
      search: ({ price, penalty, mayHold }) =>
        offered(stage, key, {
          price,
          penalty,
          ...(mayHold ? { holdUntil: new Date(clock.now().getTime() + 3_600_000) } : {}),
        }),
      recharge: async (amount) => dataOf(await door().createRecharge(key, pixOf(amount))).id,
      pay: async (id) => (await server.rest('POST', `/simulator/recharges/${id}/pay`, { key })).body,
      async book(offer, type, idempotencyKey) {
        const request = requestFor(offer, type);
        const [rest] = doorsAt(server.url);
        const outcome = await rest.createBooking(key, request, { idempotencyKey });
        real.answers.set(idempotencyKey, { request, text: outcome.text });
        return outcome;
      },
      repeat: (idempotencyKey, request) =>
        doorsAt(server.url)[0].createBooking(key, request, { idempotencyKey }),
      confirm: (id) => door().confirmBooking(key, id),
      cancel: (id) => door().cancelBooking(key, id),
      advance: (milliseconds) => clock.advance(milliseconds),
      expire: async () => void (await expireOverdueBookings(server.running.gateway.platform)),
      plan: (id, state) => void plans.set(id, state),
      work,
      isOver,
      crash: () => server.restart(),
      async check(seen) {
        await check(key, real.bookings, seen);
        steps += 1;
      },
    };
    real.recharges.push(await real.recharge('1500.00'));
    await real.pay(real.recharges[0]!);
    requestRecharge(expected, 1500_00);
    model.pay(expected, 0);
    real.offers.push(await real.search({ price: '300.00', penalty: '50.00', mayHold: true }));
    search(expected, { priceCents: 300_00, penaltyCents: 50_00, mayHold: true });
    return { model: expected, real };
  }

  it('are what a model in plain code says, and no centavo is lost', async () => {
    const endMs = performance.now() + longestMs;
    const isOver = () => steps >= fewestSteps && performance.now() > endMs;
    await fc.assert(
      fc.asyncProperty(histories(25), async (commands) => {
        if (isOver()) return;
        const begun = await begin(isOver);
        await fc.asyncModelRun(() => begun, commands);
      }),
      { numRuns: 25, endOnFailure: true },
    );
    expect(steps).toBeGreaterThanOrEqual(fewestSteps);
  });
});
