import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { completePaid } from '../../src/domain/recharges/payment.ts';
import { dataOf, pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** Recharges are written in this order: two that took it the other way round would wait for each other. */
describeSeveralSessions('a payment of a recharge that had ended', (engine) => {
  let server: TestServer;
  let other: pg.Client;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    other = await server.openSession();
  });
  afterAll(() => server?.close());

  it('waits for its day before it takes the wallet', async () => {
    const { platform } = server.running.gateway;
    const { live, teamId } = await server.createTeam();
    const door = restDoor(() => server);
    const { id } = dataOf(await door.createRecharge(live, pixOf('100.00')));
    await server.graphql('mutation ($id: String!) { cancelRecharge(id: $id) { status } }', { id }, live);
    const [recharge] = await server.query<{ wallet_id: number; status: string }>(
      'SELECT wallet_id, status FROM recharges WHERE id = $1',
      [id],
    );
    expect(recharge?.status).toBe('cancelled');
    const walletId = recharge?.wallet_id ?? 0;

    await other.query('BEGIN');
    await other.query('SELECT FROM recharge_days WHERE wallet_id = $1 FOR UPDATE', [walletId]);
    const paying = completePaid({ id, walletId }, platform.clock.now(), 'whenever', platform);
    await eventually(async () => (await lockWaits(server)) === 1);
    const free = await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE SKIP LOCKED', [teamId]);
    await other.query('ROLLBACK');
    expect(free.rowCount).toBe(2);
    expect(await paying).toBe(true);
    expect(dataOf(await door.balance(live)).balance).toBe('100.00');
  });
});
