import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import { claimTasks, type OrderTask, postponeTask } from '../../src/domain/bookings/orderTask.ts';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import { inTransaction } from '../../src/infrastructure/database/transaction.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { never } from './airline.ts';
import { agencyWith, booked } from './bookingSteps.ts';
import { workerStage } from './workerStage.ts';
import { bookingOf, walletsOf } from './writtenBookings.ts';

describeEngines('Orders of which there are more than places with their supplier', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it('are taken in the order in which they fell due, not in that of their bookings', async () => {
    const { platform } = server.running.gateway;
    const { teamId } = await server.createTeam();
    const { test: walletId } = await walletsOf(server, teamId);
    const ids: string[] = [];
    for (let order = 0; order < 5; order += 1) {
      const booking = await bookingOf(server, walletId, { amountCents: 100 });
      await postBooking(booking, null, platform);
      ids.push(booking.id);
    }
    const take = async (places: number) => claimTasks(new Map([['simulated', places]]), 60_000, platform);
    const undecided = { isAnswered: true, carrierReference: null };
    for (const task of await take(5))
      await postponeTask(task, new Date(1_000 * (5 - ids.indexOf(task.id))), undecided, platform);
    const taken: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) taken.push(...(await take(1)).map(({ id }) => id));
    expect(taken).toEqual(ids.toReversed());
  });
});

/** Only a server has several workers at it. */
describeSeveralSessions('Orders that a worker is taking', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it('are left to it: another takes what comes next, without a wait, and no supplier is asked for one twice', async () => {
    const { platform } = server.running.gateway;
    const { teamId } = await server.createTeam();
    const { test: walletId } = await walletsOf(server, teamId);
    for (let order = 0; order < 3; order += 1)
      await postBooking(await bookingOf(server, walletId, { amountCents: 100 }), null, platform);
    const take = () => claimTasks(new Map([['simulated', 2]]), 60_000, platform);

    let first: OrderTask[] = [];
    let commit: () => void = () => undefined;
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const taking = inTransaction(platform.sequelize, async () => {
      first = await take();
      await committing;
    });
    await eventually(() => first.length === 2);
    const second = await take().finally(commit);
    await taking;
    expect(second).toHaveLength(1);
    expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(3);
  });
});

describeSeveralSessions('Orders that a worker has asked for', (engine) => {
  const stage = workerStage(engine);
  beforeEach(() => stage.airline.reset());

  it('are left to it when another starts, which asks for the next', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const worker = () => {
      const dispatcher = new OrderDispatcher(stage.server.running.gateway.platform);
      onTestFinished(() => dispatcher.stop());
      return dispatcher;
    };
    const [first, second] = [worker(), worker()];
    stage.airline.answers.issue = never;
    const asked = async (by: OrderDispatcher) => {
      const { id } = await booked(stage, live);
      await by.sweep();
      await eventually(() => stage.airline.askedFor(id, 'issue').length > 0);
      return id;
    };
    const id = await asked(first);
    await second.start();
    await asked(second);
    expect(stage.airline.askedFor(id, 'issue')).toHaveLength(1);
  });
});
