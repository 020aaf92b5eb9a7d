import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { expireOverdueBookings } from '../../src/domain/bookings/expiry.ts';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import type { RunningServer } from '../../src/server.ts';
import { startServer } from '../../src/server.ts';
import type { Door, Outcome } from '../doors/door.ts';
import { dataOf, patientDoor } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { silentLog } from '../harness/silentLog.ts';
import { TestClock } from '../harness/testClock.ts';
import { Airline, ticketed } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import {
  agencyWith,
  doorsAt,
  inHours,
  moneyOf,
  offered,
  requestFor,
  toldOf,
  typesOf,
} from './bookingSteps.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describeEngines('bookings at once', (engine) => {
  const clock = new TestClock();
  const airline = new Airline();
  const others: RunningServer[] = [];
  let server: TestServer;
  let doors: Door[];
  let stage: BookingStage;

  beforeAll(async () => {
    const settings = { ROLES: 'api' };
    server = await startTestServer(engine, { clock, settings, flightSuppliers: [airline] });
    // The embedded store belongs to one process; PostgreSQL serves as many as come.
    if (engine.name !== 'embedded') {
      for (const _ of range(2)) {
        others.push(
          await startServer(readSettings(server.environment), {
            clock,
            log: silentLog,
            flightSuppliers: [airline],
          }),
        );
      }
    }
    const urls = [server.url, ...others.map(({ url }) => url)];
    doors = urls.flatMap(doorsAt).map(patientDoor);
    const [door, otherDoor] = doors as [Door, Door];
    stage = { server, clock, airline, door, otherDoor };
  });
  afterAll(async () => {
    for (const other of others) await other.close();
    await server?.close();
  });

  const doorOf = (index: number) => doors[index % doors.length] as Door;

  const refusalsOf = (outcomes: Outcome[]) =>
    outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error.message]));

  async function checkHealth(): Promise<void> {
    const { sequelize } = server.running.gateway.platform;
    expect(await ledgerBreaks(sequelize)).toEqual([]);
    expect(server.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  }

  it('against a balance for five of them make exactly five, paid or held', async () => {
    const { live } = await agencyWith(stage, '2399.99');
    const offer = await offered(stage, live, { price: '400.00', holdUntil: inHours(stage, 1) });
    const outcomes = await Promise.all(
      range(24).map((index) =>
        doorOf(index).createBooking(live, requestFor(offer, index % 3 === 0 ? 'hold' : 'instant')),
      ),
    );
    const made = outcomes.filter(({ ok }) => ok).map(dataOf);
    expect(made).toHaveLength(5);
    expect(new Set(refusalsOf(outcomes))).toEqual(new Set(['Insufficient balance']));
    const heldCount = made.filter(({ status }) => status === 'pending').length;
    const amount = (cents: number) => (cents / 100).toFixed(2);
    expect(await moneyOf(stage.door, live)).toEqual([
      amount(2_399_99 - (5 - heldCount) * 400_00),
      '399.99',
      amount(heldCount * 400_00),
    ]);
    expect(new Set(made.map(({ booking_reference: reference }) => reference)).size).toBe(5);
    await checkHealth();
  });

  it('with one Idempotency-Key are one booking, whichever server they reach', async () => {
    const { live } = await agencyWith(stage, '5000.00');
    const request = requestFor(await offered(stage, live));
    const outcomes = await Promise.all(
      range(12).map((index) =>
        doorOf(index).createBooking(live, request, { idempotencyKey: 'at every door' }),
      ),
    );
    expect(new Set(outcomes.map((outcome) => dataOf(outcome).id)).size).toBe(1);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await moneyOf(stage.door, live)).toEqual(['4600.00', '4600.00', '0.00']);
    await checkHealth();
  });

  it('are confirmed, expired or cancelled in one order, and each once', async () => {
    const { test, live } = await agencyWith(stage, '20000.00');
    for (const key of [test, live]) {
      const offer = await offered(stage, key, { holdUntil: inHours(stage, 1), penalty: '100.00' });
      const held = await Promise.all(
        range(12).map(async (index) =>
          dataOf(await doorOf(index).createBooking(key, requestFor(offer, 'hold'))),
        ),
      );
      await Promise.all(
        held.map(async ({ id }, index) => {
          const ask = (of: 'confirm' | 'cancel' | 'expire', at: number) =>
            ({
              confirm: () => doorOf(at).confirmBooking(key, id),
              cancel: () => doorOf(at).cancelBooking(key, id),
              expire: () => doorOf(at).expireTestBooking(key, id),
            })[of]();
          const asked = [
            ask('confirm', index),
            ask('confirm', index + 1),
            ask('cancel', index + 2),
            ask('cancel', index + 3),
            ask('expire', index + 4),
          ];
          const [first, second, ...ends] = await Promise.all(asked);
          const [withdrawn, again, expired] = ends as [Outcome, Outcome, Outcome];
          const count = (...outcomes: Outcome[]) => outcomes.filter(({ ok }) => ok).length;
          const confirmed = count(first as Outcome, second as Outcome);
          const cancelled = count(withdrawn, again);
          const { status } = dataOf(await stage.door.getBooking(key, id));
          const told = typesOf(await toldOf(stage, id)).filter((type) => /^booking\.(?!updated)/.test(type));
          if (expired.ok) expect([status, confirmed, cancelled]).toEqual(['expired', 0, 0]);
          else expect([status, cancelled]).toEqual(['cancelled', 1]);
          expect(told).toEqual([
            'booking.created',
            ...(confirmed === 1 ? ['booking.confirmed'] : []),
            `booking.${status}`,
          ]);
        }),
      );
      await checkHealth();
    }
    const [balance, available, pending] = await moneyOf(stage.door, live);
    expect([available, pending]).toEqual([balance, '0.00']);
  });

  it('are not confirmed and expired, though another server’s clock is ahead', async () => {
    const { live } = await agencyWith(stage, '20000.00');
    const offer = await offered(stage, live, { holdUntil: inHours(stage, 0.1) });
    const held = await Promise.all(
      range(16).map(async (index) =>
        dataOf(await doorOf(index).createBooking(live, requestFor(offer, 'hold'))),
      ),
    );
    const { platform } = server.running.gateway;
    const ahead = { ...platform, clock: new TestClock() };
    ahead.clock.advance(3_600_000);
    const [, , ...outcomes] = await Promise.all([
      expireOverdueBookings(ahead),
      expireOverdueBookings(ahead),
      ...held.map(({ id }, index) => doorOf(index).confirmBooking(live, id)),
    ]);
    const confirmed = outcomes.filter(({ ok }) => ok).length;
    const statuses = dataOf(await stage.door.bookings(live)).items.map(({ status }: Json) => status);
    expect(statuses.filter((status: string) => status === 'confirmed')).toHaveLength(confirmed);
    expect(statuses.filter((status: string) => status === 'expired')).toHaveLength(16 - confirmed);
    expect(new Set(refusalsOf(outcomes))).toEqual(new Set(confirmed === 16 ? [] : ['Offer expired']));
    const left = (20_000 - confirmed * 400).toFixed(2);
    expect(await moneyOf(stage.door, live)).toEqual([left, left, '0.00']);
    await checkHealth();
  });

  it('are refunded once when a cancellation races the ticket, or its refusal', async () => {
    const { live } = await agencyWith(stage, '20000.00');
    const offer = await offered(stage, live, { penalty: '100.00' });
    const paid = await Promise.all(
      range(16).map(async (index) => dataOf(await doorOf(index).createBooking(live, requestFor(offer)))),
    );
    airline.answers.issue = async (request) =>
      paid.findIndex(({ id }) => id === request.bookingId) % 2 === 0
        ? ticketed(request)
        : { state: 'refused', reason: 'sold out' };
    const worker = await startWorker();
    const outcomes = await Promise.all(paid.map(({ id }, index) => doorOf(index).cancelBooking(live, id)));
    await eventually(async () => {
      const [row] = await server.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM bookings WHERE order_task IS NOT NULL AND id = ANY ($1)',
        [paid.map(({ id }) => id)],
      );
      return row?.count === 0;
    });
    await worker();
    let refunded = 0;
    for (const [index, { id }] of paid.entries()) {
      const { status, refund_amount: refund } = dataOf(await stage.door.getBooking(live, id));
      const outcome = outcomes[index] as Outcome;
      expect([status, refund]).toEqual(outcome.ok ? ['cancelled', '300.00'] : ['failed', '400.00']);
      if (!outcome.ok) expect(outcome.error.message).toBe('Booking already failed');
      refunded += Number(refund);
    }
    expect((await moneyOf(stage.door, live))[0]).toBe((20_000 - 16 * 400 + refunded).toFixed(2));
    await checkHealth();
  });

  /** Workers in the processes that there are. */
  async function startWorker(): Promise<() => Promise<void>> {
    const gateways = [server.running.gateway, ...others.map(({ gateway }) => gateway)];
    const dispatchers = gateways.map(({ platform }) => new OrderDispatcher(platform));
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.start()));
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.sweep()));
    return async () => void (await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop())));
  }
});
