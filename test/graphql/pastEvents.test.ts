import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { requestRecharge, storedWalletEvents, writeEvents } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { eventStream, transports, walletEvents } from '../harness/subscribers.ts';

describeEngines('Subscriptions of one key that begin at past events', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it.each(transports)('tell each of them everything, while others leave, over $name', async (transport) => {
    const team = await server.createTeam();
    const write = () => writeEvents(server, team.teamId, 'test', { count: 700 });
    for (const interlude of [async () => undefined, write, write]) {
      await requestRecharge(server, team.test);
      await interlude();
    }
    const stored = await storedWalletEvents(server, team.teamId, 'test');
    const requests = stored.filter(({ type }) => type === 'wallet.recharge.pending');
    const starts = [...requests, requests[0], requests[1], requests[0]];
    const open = ({ id }: Json) =>
      transport.subscribe(server.url, { key: team.test, variables: { after: id } });
    const staying = starts.map(open);
    for (const leaving of starts.map(open)) leaving.cut();
    await requestRecharge(server, team.test);
    const all = await storedWalletEvents(server, team.teamId, 'test');
    for (const [index, subscriber] of staying.entries()) {
      const missed = all.slice(all.findIndex(({ id }) => id === starts[index].id) + 1);
      expect(await subscriber.sees(missed.length)).toEqual(missed);
      subscriber.cut();
    }
  });
});

describeSeveralSessions('Subscriptions of one key that begin long ago', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  /** A stream whose response is not read, until it is told to. */
  async function openStream(key: string, after: string) {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(`${server.url}/graphql`, {
        method: 'POST',
        agent: false,
        headers: { ...eventStream, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
      request.on('response', resolve).on('error', reject);
      request.end(JSON.stringify({ query: walletEvents, variables: { after } }));
    });
    onTestFinished(() => void response.destroy());
    return {
      hasBegun: () => response.socket.bytesRead > 8_192,
      /** Resolves when there are so many events. */
      async reads(count: number): Promise<void> {
        let events = 0;
        response.setEncoding('utf8').on('data', (part: string) => {
          events += part.split('event: next').length - 1;
        });
        await eventually(() => events >= count);
      },
    };
  }

  const waitingSql = `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE relation = 'events'::regclass AND NOT granted AND query LIKE '%sequence > $2 ORDER BY%'`;

  it('read what they missed one after another', async () => {
    const team = await server.createTeam();
    for (let stream = 0; stream < 4; stream += 1) await requestRecharge(server, team.test);
    const starts = await storedWalletEvents(server, team.teamId, 'test');
    // Half of it is more than a connection takes that nobody reads from.
    await writeEvents(server, team.teamId, 'test', { count: 1_000, bytes: 12_000 });
    const streams = await Promise.all(starts.map(({ id }) => openStream(team.test, id)));
    await eventually(() => streams.every((stream) => stream.hasBegun()));
    const session = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await session.connect();
    onTestFinished(() => session.end());
    await session.query('BEGIN');
    await session.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    await Promise.all(streams.map((stream) => stream.reads(490)));
    const waiting = async () => (await session.query(waitingSql)).rows.length;
    await eventually(async () => (await waiting()) > 0);
    // Whatever else they ask for has been asked for by then.
    await server.rest('GET', '/health/live');
    expect(await waiting()).toBe(1);
  });
});
