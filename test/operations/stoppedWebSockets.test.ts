import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { countOf } from '../harness/metricSamples.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { walletEvents } from '../harness/subscribers.ts';

const recharge = {
  query: 'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }',
};

/** Operations of one WebSocket that are under way at once. */
const mostBegun = 64;

describeSeveralSessions('WebSockets at a stop', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it('end when what has begun on them is answered, others at once, and nothing more is begun', async () => {
    const { teamId, live } = await server.createTeam();
    const connected = () => connectRawSocket(server.url, live);
    const [busy, subscribed, idle] = [await connected(), await connected(), await connected()];
    for (const { send } of [busy, subscribed])
      send({ type: 'subscribe', id: 'events', payload: { query: walletEvents } });
    await eventually(async () =>
      (await server.rest('GET', '/metrics')).text.includes('\nembarque_subscribers 2\n'),
    );
    const other = await server.openSession();
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    busy.send({ type: 'subscribe', id: 'begun', payload: recharge });
    await eventually(async () => (await lockWaits(server)) > 0);

    const restarted = server.restart();
    for (const { closed } of [subscribed, idle])
      expect(await closed()).toEqual({ code: 1001, reason: 'Going away' });
    busy.send({ type: 'subscribe', id: 'late', payload: recharge });
    await busy.caughtUp();
    expect(busy.messages.filter(({ type }) => type === 'next')).toEqual([]);
    await other.query('ROLLBACK');
    expect(await busy.closed()).toEqual({ code: 1001, reason: 'Going away' });
    await restarted;

    const told = (id: string) => busy.messages.filter((message) => message.id === id);
    expect(told('begun').map(({ type }) => type)).toEqual(['next', 'complete']);
    expect(told('late')).toEqual([]);
    const written = await server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId]);
    expect(written).toEqual([{ id: told('begun')[0].payload.data.createRecharge.id }]);
  });

  it('begin nothing more of what waits on them', async () => {
    const { teamId, live } = await server.createTeam();
    const { send, caughtUp, closed, messages } = await connectRawSocket(server.url, live);
    const other = await server.openSession();
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    const begun = () =>
      countOf(server.url, 'embarque_operations_total{operation="createRecharge",outcome="admitted"}');
    const before = await begun();
    for (let sent = 0; sent < mostBegun + 2; sent += 1)
      send({ type: 'subscribe', id: String(sent), payload: recharge });
    await caughtUp();
    await eventually(async () => (await begun()) === before + mostBegun);

    const idle = await connectRawSocket(server.url, live);
    const restarted = server.restart();
    // All of them are being ended.
    expect((await idle.closed()).code).toBe(1001);
    await other.query('ROLLBACK');
    expect(await closed()).toEqual({ code: 1001, reason: 'Going away' });
    await restarted;
    const answered = messages.filter(({ type }) => type === 'next').map(({ id }) => Number(id));
    expect(answered.sort((one, next) => one - next)).toEqual(
      Array.from({ length: mostBegun }, (_, id) => id),
    );
    const written = await server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId]);
    expect(written).toHaveLength(mostBegun);
  });
});
