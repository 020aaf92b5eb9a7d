import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestRecharge } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer, sweepingOften } from '../harness/server.ts';
import { hourMs, TestClock } from '../harness/testClock.ts';

describeSeveralSessions('While the backlog is being counted', (engine) => {
  const clock = new TestClock();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: sweepingOften, clock });
  });
  afterAll(() => server?.close());

  /** The counts that wait for the table, and since when. */
  const counts = () =>
    server.query<{ pid: number; query_start: Date }>(
      `SELECT pid, query_start FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%AS supplier_orders%'`,
    );

  it('what else the worker looks for is found', async () => {
    const { live } = await server.createTeam();
    const id = await requestRecharge(server, live);
    const session = await server.openSession();
    await session.query('BEGIN; LOCK TABLE payment_notices IN ACCESS EXCLUSIVE MODE');
    const waiting = await eventually(async () => {
      const found = await counts();
      return found.length > 0 && found;
    });
    clock.advance(hourMs);
    await eventually(async () => {
      const { body } = await server.rest('GET', `/api/v1/wallet/recharge/${id}`, { key: live });
      return body.data.status === 'expired';
    });
    expect(await counts()).toEqual(waiting);
  });
});
