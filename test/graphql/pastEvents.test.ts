import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { requestRecharge, storedWalletEvents, writeEvents } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { tableWaits } from '../harness/lockWaits.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { atRest, eventStream, transports, walletEvents } from '../harness/subscribers.ts';

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
    // There was nothing after it when the others read from there.
    await requestRecharge(server, team.test);
    const later = open(all.at(-1) as Json);
    expect(await later.sees(1)).toEqual((await storedWalletEvents(server, team.teamId, 'test')).slice(-1));
    later.cut();
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
    const cut = () => void response.destroy();
    onTestFinished(cut);
    let [events, unfinished] = [0, ''];
    const count = (part: string) => {
      const pieces = `${unfinished}${part}`.split('event: next\n');
      events += pieces.length - 1;
      unfinished = pieces.at(-1)?.slice(-'event: next'.length) ?? '';
    };
    return {
      cut,
      hasBegun: () => response.socket.bytesRead > 8_192,
      received: () => response.socket.bytesRead,
      /** Takes whatever comes from now on. */
      readOn: () => void response.setEncoding('utf8').on('data', count),
      /** Resolves when so many events came. */
      reads: (wanted: number) => eventually(() => events >= wanted),
    };
  }

  type Stream = Awaited<ReturnType<typeof openStream>>;

  /** Events that one read brings. */
  const batch = 500;

  /**
   * Streams of one key that have asked for no more than their first batch, that begin after the events of these places,
   * and a session in which the events are locked from now on.
   */
  async function stalledStreams(begins: readonly number[]) {
    const team = await server.createTeam();
    for (let start = 0; start <= Math.max(...begins); start += 1) await requestRecharge(server, team.test);
    const starts = await storedWalletEvents(server, team.teamId, 'test');
    // Half of it is more than a connection takes that nobody reads from.
    await writeEvents(server, team.teamId, 'test', { count: 2 * batch, bytes: 12_000 });
    const streams = await Promise.all(begins.map((begin) => openStream(team.test, starts[begin].id)));
    await eventually(() => streams.every((stream) => stream.hasBegun()));
    const session = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await session.connect();
    onTestFinished(() => session.end());
    await session.query('BEGIN');
    await session.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    // Connections: of what is asked over one, only the first is seen.
    const waiting = async () => (await tableWaits(session, 'events')).length;
    return { streams, session, waiting };
  }

  /** Resolves when each has taken what was read for it, and has asked for more. */
  async function wantMore(...streams: Stream[]): Promise<void> {
    for (const stream of streams) stream.readOn();
    await atRest(() => streams.reduce((bytes, { received }) => bytes + received(), 0));
    await server.rest('GET', '/health/live');
  }

  it('read what they missed one after another', async () => {
    // Four at most ask over one connection: all at once would wait on three.
    const { streams, waiting } = await stalledStreams(Array.from({ length: 12 }, (_, index) => index));
    await wantMore(...streams);
    await eventually(async () => (await waiting()) > 0);
    // One is the turn's, the other that of the look for new events.
    expect(await waiting()).toBeLessThan(3);
  });

  it('are told what they wait for together, though whoever asked first is gone', async () => {
    const { streams, session, waiting } = await stalledStreams([1, 0, 0]);
    const [reading, leaving, staying] = streams as [Stream, Stream, Stream];
    const asking = vi.spyOn(server.running.gateway.feed.past, 'readAfter');
    onTestFinished(() => asking.mockRestore());
    // Each asks once for what comes after its first batch, and none waits for the lock for ever.
    for (const [index, stream] of [reading, leaving, staying].entries()) {
      stream.readOn();
      await eventually(() => asking.mock.calls.length === index + 1);
    }
    await eventually(async () => (await waiting()) > 0);
    leaving.cut();
    await eventually(async () => (await server.rest('GET', '/metrics')).text.includes('subscribers 2\n'));
    await session.query('ROLLBACK');
    await staying.reads(2 * batch);
  });
});
