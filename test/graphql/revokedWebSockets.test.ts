import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { walletEvents } from '../harness/subscribers.ts';
import { openSilentSocket } from './silentSocket.ts';

const recharge = {
  query: 'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }',
};
const forbidden = { code: 4403, reason: 'Forbidden' };

describeSeveralSessions('WebSockets of a key that is revoked', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it('are closed when what has begun on them is answered and their subscriptions have ended, and no others', async () => {
    const { teamId, live } = await server.createTeam();
    const { id, secret } = await server.createKey({ kind: 'live', teamId });
    const [other, idle, subscribed, busy] = [
      await connectRawSocket(server.url, live),
      await connectRawSocket(server.url, secret),
      await connectRawSocket(server.url, secret),
      await connectRawSocket(server.url, secret),
    ];
    const staying = await openSilentSocket(server.url, secret);
    onTestFinished(() => void staying.connection.destroy());
    staying.say('{"type":"connection_init"}');
    await eventually(() => staying.received().includes('connection_ack'));
    const subscribers = [subscribed, busy];
    for (const { send } of subscribers)
      send({ type: 'subscribe', id: 'events', payload: { query: walletEvents } });
    await eventually(async () =>
      (await server.rest('GET', '/metrics')).text.includes('\nembarque_subscribers 2\n'),
    );
    const first = await server.graphql(recharge.query, null, live);
    expect(first.body.errors).toBeUndefined();
    const session = await server.openSession();
    await session.query('BEGIN');
    // The day of the wallet and not the wallet: the revocation has an event in it.
    await session.query(
      `SELECT FROM recharge_days WHERE wallet_id IN (SELECT id FROM wallets WHERE team_id = $1) FOR UPDATE`,
      [teamId],
    );
    busy.send({ type: 'subscribe', id: 'begun', payload: recharge });
    await eventually(async () => (await lockWaits(server)) > 0);

    const revocation = `mutation { revokeApiKey(id: "${id}") { id } }`;
    const { body } = await server.graphql(revocation, null, server.keys.operator);
    expect(body.errors).toBeUndefined();
    for (const { closed } of [idle, subscribed]) expect(await closed()).toEqual(forbidden);
    await eventually(() => staying.received().includes('Forbidden'));
    // Whoever takes no leave is cut.
    await eventually(staying.isOver, 15_000);
    for (const { receives } of subscribers)
      await receives((message) => message.id === 'events' && message.type === 'complete');
    busy.send({ type: 'subscribe', id: 'late', payload: recharge });
    await busy.caughtUp();
    await other.caughtUp();
    const restarted = server.restart();
    expect((await other.closed()).code).toBe(1001);
    await session.query('ROLLBACK');
    // What has ended first is told, whatever else ends meanwhile.
    expect(await busy.closed()).toEqual(forbidden);
    await restarted;

    const told = (operation: string) => busy.messages.filter((message) => message.id === operation);
    expect(told('begun').map(({ type }) => type)).toEqual(['next', 'complete']);
    expect(told('late').filter(({ type }) => type === 'next')).toEqual([]);
    const written = await server.query<{ id: string }>('SELECT id FROM recharges WHERE team_id = $1', [
      teamId,
    ]);
    expect(written.map((one) => one.id).sort()).toEqual(
      [first.body.data, told('begun')[0].payload.data].map((data) => data.createRecharge.id).sort(),
    );
  });
});
