import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { requestRecharge, storedWalletEvents, writeEvents } from '../harness/activity.ts';
import { watchReads } from '../harness/askedReads.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { tableWaits } from '../harness/lockWaits.ts';
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

  /** Watches what is asked for after a first batch; a stream asks once, and none waits for a lock for ever. */
  function watchAsking() {
    const asking = vi.spyOn(server.running.gateway.feed.past, 'readAfter');
    onTestFinished(() => asking.mockRestore());
    return { haveAsked: (streams: number) => eventually(() => asking.mock.calls.length === streams) };
  }

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
    const waiting = async () => (await tableWaits(session, 'events')).length;
    return { streams, session, waiting };
  }

  it('read what they missed one after another', async () => {
    const { streams, waiting } = await stalledStreams(Array.from({ length: 12 }, (_, index) => index));
    const { haveAsked } = watchAsking();
    const asked = watchReads(server);
    for (const stream of streams) stream.readOn();
    await haveAsked(streams.length);
    // The look for new events may be what waits, before the rest after the first batches is over.
    await eventually(async () => asked('read_events_after').length > 0 && (await waiting()) > 0);
    expect(asked('read_events_after')).toHaveLength(1);
  });

  it('are told what they wait for together, though whoever asked first is gone', async () => {
    const { streams, session, waiting } = await stalledStreams([1, 0, 0]);
    const [reading, leaving, staying] = streams as [Stream, Stream, Stream];
    const { haveAsked } = watchAsking();
    for (const [index, stream] of [reading, leaving, staying].entries()) {
      stream.readOn();
      await haveAsked(index + 1);
    }
    await eventually(async () => (await waiting()) > 0);
    leaving.cut();
    await eventually(async () => (await server.rest('GET', '/metrics')).text.includes('subscribers 2\n'));
    await session.query('ROLLBACK');
    await staying.reads(2 * batch);
  });
});
