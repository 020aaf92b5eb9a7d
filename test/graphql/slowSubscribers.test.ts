import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  loseEvents,
  requestRecharge,
  storedWalletEvents,
  tenantOf,
  writeEvents,
} from '../harness/activity.ts';
import { watchReads } from '../harness/askedReads.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { memoryBytes } from '../harness/garbage.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { atRest, eventStream, streamedResults, transports, walletEvents } from '../harness/subscribers.ts';

describeOneEngine('A subscriber that does not read', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  describe.each(transports)('over $name', (transport) => {
    it('a subscriber that stops reading costs little, and catches up', async () => {
      const count = 5_000;
      const team = await server.createTeam();
      await requestRecharge(server, team.test);
      const [start] = await storedWalletEvents(server, team.teamId, 'test');
      const slow = await holdingBack(transport.name, team.test, start.id);
      // It waits for what happens next by now, and has nothing to read up.
      await atRest(slow.received);
      const before = await memoryBytes();
      const ids = await writeEvents(server, team.teamId, 'test', { count, bytes: 10_000 });
      await requestRecharge(server, team.test);
      await atRest(slow.received);
      expect((await memoryBytes()) - before).toBeLessThan(30_000_000);
      expect(await slow.readOn(count)).toEqual(ids);
      slow.close();
    });

    it.each([
      ['waits in the process', 900],
      ['is read from the table', 2_000],
    ])(
      'a subscriber for whom much %s misses none of it when the database loses what came last',
      async (_where, count) => {
        const team = await server.createTeam();
        await requestRecharge(server, team.test);
        const [start] = await storedWalletEvents(server, team.teamId, 'test');
        const slow = await holdingBack(transport.name, team.test, start.id);
        // It waits for what happens next by now.
        await atRest(slow.received);
        const ids = await writeEvents(server, team.teamId, 'test', { count, bytes: 10_000 });
        const { walletId } = await tenantOf(server, team.teamId, 'test');
        const isAllTold = toldOf(walletId);
        await requestRecharge(server, team.test);
        // What is lost untold nobody misses.
        await eventually(isAllTold);
        await atRest(slow.received);
        await loseEvents(server, team.teamId, 'test', 1);
        const isLoss = (line: { walletId?: number; lost?: number }) =>
          line.walletId === walletId && line.lost !== undefined;
        await eventually(() => server.logLines.some((line) => isLoss(JSON.parse(line))));
        expect(await slow.readOn(count)).toEqual(ids);
        slow.close();
      },
    );

    it('a subscriber that has left without reading has nothing done for it at intervals', async () => {
      const team = await server.createTeam();
      await requestRecharge(server, team.test);
      const [start] = await storedWalletEvents(server, team.teamId, 'test');
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      try {
        const slow = await holdingBack(transport.name, team.test, start.id);
        await writeEvents(server, team.teamId, 'test', { count: 2_000, bytes: 10_000 });
        await requestRecharge(server, team.test);
        await atRest(slow.received);
        expect(vi.getTimerCount()).toBe(1);
        slow.close();
        await eventually(() => vi.getTimerCount() === 0);
      } finally {
        vi.useRealTimers();
      }
    });
  });

  it('keeps nothing of what others are told meanwhile', async () => {
    const [others, count] = [10, 400];
    const team = await server.createTeam();
    await requestRecharge(server, team.test);
    const [start] = await storedWalletEvents(server, team.teamId, 'test');
    const slow = await holdingBack('graphql-sse', team.test, start.id);
    const { socket, send } = await connectRawSocket(server.url, team.test);
    let told = 0;
    socket.removeAllListeners('message').on('message', () => {
      told += 1;
    });
    for (let other = 0; other < others; other += 1) {
      const query = `subscription { walletEvents(types: ["wallet.credit"]) { a${other}: data { object } b: data { object } } }`;
      send({ id: String(other), type: 'subscribe', payload: { query } });
    }
    await atRest(slow.received);
    const before = await memoryBytes();
    await writeEvents(server, team.teamId, 'test', { count, bytes: 30_000 });
    await requestRecharge(server, team.test);
    await eventually(() => told === others * count);
    await atRest(slow.received);
    expect((await memoryBytes()) - before).toBeLessThan(60_000_000);
    slow.close();
    socket.terminate();
  });

  it('keeps for seconds at most what was read for it', async () => {
    const team = await server.createTeam();
    const streams = 20;
    for (let stream = 0; stream < streams; stream += 1) await requestRecharge(server, team.test);
    const starts = await storedWalletEvents(server, team.teamId, 'test');
    const count = 1_500;
    const ids = await writeEvents(server, team.teamId, 'test', { count, bytes: 12_000 });
    const before = await memoryBytes();
    const slow: Slow[] = [];
    for (const { id } of starts) slow.push(await holdingBack('graphql-sse', team.test, id));
    await atRest(() => slow.reduce((bytes, { received }) => bytes + received(), 0));
    await eventually(async () => (await memoryBytes()) - before < 60_000_000);
    expect(await slow[0]?.readOn(count)).toEqual(ids);
    for (const one of slow) one.close();
  });

  /** @returns whether the server has told, since this was called, all that is in the table of a team's events. */
  function toldOf(walletId: number): () => Promise<boolean> {
    const asked = watchReads(server);
    return async () => {
      const [wallet] = await server.query<{ last: string }>(
        'SELECT event_count AS last FROM wallets WHERE id = $1',
        [walletId],
      );
      // It asks for what comes after the last that it told, and for that one itself.
      return asked('read_events_from').some((values) => String(values) === `${walletId},${wallet?.last}`);
    };
  }

  interface Slow {
    /** Bytes that came so far. */
    received(): number;
    /** Reads on until there are that many events. @returns their ids. */
    readOn(count: number): Promise<string[]>;
    close(): void;
  }

  /** A subscription whose results are not read. */
  async function holdingBack(name: string, key: string, after: string): Promise<Slow> {
    const payload = { query: walletEvents, variables: { after, types: ['wallet.credit'] } };
    if (name === 'graphql-ws') {
      const raw = await connectRawSocket(server.url, key);
      raw.send({ type: 'subscribe', id: '1', payload });
      raw.socket.pause();
      const events = () => raw.messages.filter(({ type }) => type === 'next');
      return {
        received: () => raw.messages.length,
        async readOn(count) {
          raw.socket.resume();
          await eventually(() => events().length >= count);
          return events().map(({ payload: { data } }) => data.walletEvents.id);
        },
        close: () => raw.socket.terminate(),
      };
    }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(`${server.url}/graphql`, {
        method: 'POST',
        agent: false,
        headers: { ...eventStream, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
      request.on('response', resolve).on('error', reject).end(JSON.stringify(payload));
    });
    return {
      received: () => response.socket.bytesRead,
      async readOn(count) {
        let text = '';
        let lines = 0;
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          lines += part.split('\n').length - 1;
        });
        await eventually(() => lines >= 3 * count + 2);
        return streamedResults(text).map(({ data }) => data.walletEvents.id);
      },
      close: () => response.destroy(),
    };
  }
});
