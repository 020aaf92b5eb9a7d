import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import { claimTasks } from '../../src/domain/bookings/orderTask.ts';
import { dataOf } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { stopAfter } from '../harness/handedConnections.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { restoreMachineClock, setMachineClock } from '../harness/machineClock.ts';
import { passMonotonicTime } from '../harness/monotonicClock.ts';
import { never, ticketed } from './airline.ts';
import { agencyWith, booked, held, moneyOf, toldOf, typesOf, untilStatus } from './bookingSteps.ts';
import { workerStage } from './workerStage.ts';

/** Has time pass by the machine's clock alone, which is the one that goes on while the machine is suspended. */
function passMachineTime(milliseconds: number): () => void {
  setMachineClock(milliseconds);
  return restoreMachineClock;
}

describeEngines('a worker that died', (engine) => {
  const leaseMs = 3_600_000;
  const stage = workerStage(engine);
  const { clock, airline } = stage;
  beforeEach(() => airline.reset());

  // The embedded store has one session, which the frozen worker would keep.
  if (engine.name !== 'embedded') {
    it.each([
      ['it was frozen', passMonotonicTime],
      ['its machine was suspended', passMachineTime],
    ])(
      'asks for nothing that it took before %s: a ticket would be made behind a cancelled booking',
      async (_case, pass) => {
        const { live } = await agencyWith(stage, '5000.00');
        const { id } = await booked(stage, live);
        const { gateway } = stage.server.running;
        const goOn = stopAfter(
          'claim_order_tasks',
          () => pass(20_000),
          gateway.platform.sequelize,
          () => stage.door.cancelBooking(live, id),
        );
        const worker = new OrderDispatcher(gateway.platform);
        try {
          await worker.sweep();
          await eventually(() => airline.askedFor(id, 'cancel').length === 1);
          expect(airline.askedFor(id, 'issue')).toEqual([]);
        } finally {
          await worker.stop();
          goOn();
        }
      },
    );
  }

  it('waited for no supplier if it was asked to stop, and its successor asks again', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const { id } = await booked(stage, live);
    const { platform } = stage.server.running.gateway;
    airline.answers.issue = never;
    const worker = new OrderDispatcher(platform);
    await worker.sweep();
    await eventually(() => airline.askedFor(id, 'issue').length === 1);
    await worker.stop();
    airline.answers.issue = async (request) => ticketed(request);
    const successor = new OrderDispatcher(platform);
    try {
      await eventually(async () => {
        clock.advance(250);
        await successor.sweep();
        return dataOf(await stage.door.getBooking(live, id)).status === 'ticketed';
      });
    } finally {
      await successor.stop();
    }
    expect(airline.askedFor(id, 'issue')).toHaveLength(2);
  });

  it('leaves nothing undone: its successor asks again for all that it had asked, and no ticket is made twice', async () => {
    const { live } = await agencyWith(stage, '5000.00');
    const tickets = new Map<string, number>();
    airline.answers.issue = async (request) => {
      tickets.set(request.bookingId, (tickets.get(request.bookingId) ?? 0) + 1);
      return ticketed(request);
    };
    const [issued, unasked, toHold] = [
      await booked(stage, live),
      await booked(stage, live),
      await held(stage, live),
    ];
    const cancelled = await booked(stage, live, { penalty: '50.00' });
    dataOf(await stage.door.cancelBooking(live, cancelled.id));

    // It took every task and asked for one ticket, which the carrier issued; then it was gone.
    const { platform } = stage.server.running.gateway;
    const places = new Map([[airline.name, 10]]);
    const tasks = await claimTasks(places, leaseMs, platform);
    expect(tasks.map(({ id, order_task: task }) => [id, task]).sort()).toEqual(
      [
        [issued.id, 'issue'],
        [unasked.id, 'issue'],
        [toHold.id, 'hold'],
        [cancelled.id, 'cancel'],
      ].sort(),
    );
    await airline.orders.issue({ bookingId: issued.id, travellers: [] } as Json, {
      signal: new AbortController().signal,
      keepNote: async () => undefined,
    });
    expect(await claimTasks(places, leaseMs, platform)).toEqual([]);
    // The embedded store has one process: whoever held a lease before it started is dead. Elsewhere leases lapse:
    // soon, but none before it was seen that they hold.
    if (engine.name !== 'embedded')
      await stage.server.query(
        `UPDATE bookings SET order_leased_until = clock_timestamp() + interval '400 milliseconds'
          WHERE order_token IS NOT NULL`,
      );

    onTestFinished(() => stage.server.restart({ ROLES: 'api' }));
    await stage.server.restart({ ROLES: 'api,worker' });
    const { door } = stage;
    for (const { id } of [issued, unasked]) {
      const done = await untilStatus({ door, clock }, live, id, 'ticketed');
      expect(done.documents).toHaveLength(1);
    }
    await eventually(
      () =>
        airline.askedFor(toHold.id, 'hold').length === 1 &&
        airline.askedFor(cancelled.id, 'cancel').length === 1,
    );
    // Since the start, which is all that this process has asked.
    for (const [task, outcome, count] of [
      ['hold', 'held', 1],
      ['issue', 'ticketed', 2],
      ['cancel', 'cancelled', 1],
    ])
      await eventually(async () =>
        (await stage.server.rest('GET', '/metrics')).text.includes(
          `embarque_flight_order_seconds_count{supplier="airline",task="${task}",outcome="${outcome}"} ${count}\n`,
        ),
      );
    // Asked twice under the booking's id, which is what makes carriers issue once.
    expect([tickets.get(issued.id), tickets.get(unasked.id)]).toEqual([2, 1]);
    expect(await moneyOf(door, live)).toEqual(['4150.00', '3750.00', '400.00']);
    const { sequelize } = stage.server.running.gateway.platform;
    expect(await ledgerBreaks(sequelize)).toEqual([]);
    for (const { id } of [issued, unasked]) {
      const told = typesOf(await toldOf(stage, id));
      expect(told.filter((type) => type === 'booking.ticketed')).toHaveLength(1);
    }
  });
});
