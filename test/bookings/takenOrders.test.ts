import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimTasks, type OrderTask } from '../../src/domain/bookings/orderTask.ts';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import { inTransaction } from '../../src/infrastructure/database/transaction.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { bookingOf, walletsOf } from './writtenBookings.ts';

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
