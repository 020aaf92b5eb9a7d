import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';
import { atRest } from '../harness/subscribers.ts';
import { excerptCharacters, longLogOf } from './longLog.ts';

const heartbeatMs = 12_000;

/** What README promises is enough to take between two heartbeats: 64 KiB a second. */
const slowestBytes = (heartbeatMs / 1_000) * 64 * 1_024;

describeOneEngine('A WebSocket whose client', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    const settings = { WEBHOOK_REACHABILITY_CHECK: 'false', WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true' };
    server = await startTestServer(engine, { settings });
  });
  afterAll(() => server.close());

  it('shows no life between two heartbeats is cut, and none whose client does', async () => {
    const team = await server.createTeam();
    const query = '{ walletBalance { balance } }';
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const living = await connectRawSocket(server.url, team.test);
      const url = `${server.url.replace(/^http/, 'ws')}/graphql`;
      const dead = new WebSocket(url, 'graphql-transport-ws', { autoPong: false });
      await once(dead, 'open');
      const ended = once(dead, 'close');
      dead.send(
        JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${team.test}` } }),
      );
      let pings = 0;
      living.socket.on('ping', () => {
        pings += 1;
      });
      for (const [before, id] of ['first', 'second', 'third'].entries()) {
        await vi.advanceTimersByTimeAsync(heartbeatMs);
        await eventually(() => pings > before);
        // Behind the answer to the ping: what comes of it has been seen when this is answered.
        living.send({ type: 'subscribe', id, payload: { query } });
        await living.receives((message) => message.type === 'complete' && message.id === id);
      }
      expect(await ended).toEqual([1006, expect.anything()]);
      living.socket.terminate();
    } finally {
      vi.useRealTimers();
    }
  });

  const filling = 'x'.repeat(500_000);
  const askByMessage = (socket: WebSocket, sent: () => void) =>
    socket.send(JSON.stringify({ type: 'ping', payload: { filling } }), sent);
  // A frame of control holds 125 bytes, and so does its answer.
  const askByFrames = (socket: WebSocket, sent: () => void) => {
    for (let frame = 1; frame < 1_000; frame += 1) socket.ping(filling.slice(0, 125));
    socket.ping(filling.slice(0, 125), true, sent);
  };

  /** Asks again and again, as often as the server reads it and the connection is there, and reads nothing itself. */
  async function askWithoutReading(most: number, ask: typeof askByMessage) {
    const team = await server.createTeam();
    const raw = await connectRawSocket(server.url, team.test);
    raw.socket.pause();
    let sent = 0;
    const asking = async () => {
      while (raw.socket.readyState === raw.socket.OPEN && sent < most) {
        await new Promise<void>((resolve) => ask(raw.socket, resolve));
        sent += 1;
      }
    };
    return { ...raw, asked: asking(), sent: () => sent };
  }

  const askByMessageAndOperation = (socket: WebSocket, sent: () => void) => {
    const payload = { query: '{ __typename }' };
    socket.send(JSON.stringify({ type: 'subscribe', id: randomUUID(), payload }));
    askByMessage(socket, sent);
  };

  it.each([
    ['by messages', askByMessage],
    ['by messages and operations', askByMessageAndOperation],
  ])('asks %s without reading is not read from until it reads', async (_how, ask) => {
    // One that is not read from answers no heartbeat.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const most = 120;
      const { socket, messages, asked, sent } = await askWithoutReading(most, ask);
      await atRest(sent);
      expect(sent()).toBeLessThan(most);
      socket.resume();
      await asked;
      await eventually(() => messages.filter(({ type }) => type === 'pong').length === most);
      expect(socket.readyState).toBe(socket.OPEN);
      socket.terminate();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['by messages', 'by heartbeats', askByMessage],
    ['by frames of WebSockets', 'at once', askByFrames],
  ])('asks %s and never reads is cut %s, and prints nothing', async (_how, when, ask) => {
    const printed: unknown[] = [];
    const { error } = console;
    console.error = (...values) => void printed.push(values);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { socket, asked, closed } = await askWithoutReading(300, ask);
      if (when === 'by heartbeats')
        await eventually(async () => {
          await vi.advanceTimersByTimeAsync(heartbeatMs);
          return socket.readyState !== socket.OPEN;
        });
      await asked;
      socket.resume();
      expect((await closed()).code).toBe(1006);
      expect(printed).toEqual([]);
    } finally {
      vi.useRealTimers();
      console.error = error;
    }
  });

  /** A client that answers pings as it is told to. */
  async function connectByHand(key: string) {
    const raw = await connectRawSocket(server.url, key, { autoPong: false });
    const pings: Buffer[] = [];
    raw.socket.on('ping', (before) => pings.push(before));
    return {
      ...raw,
      async heartbeat() {
        const { length } = pings;
        await vi.advanceTimersByTimeAsync(heartbeatMs);
        await eventually(() => pings.length > length);
      },
      async answerPing(withWhatItSaid = true) {
        raw.socket.pong(withWhatItSaid ? pings.at(-1) : '');
        await raw.caughtUp();
      },
    };
  }

  it.each([
    ['with what the ping said', true],
    ['with nothing in it', false],
  ])('has taken long answers, answered %s, and then shows no life is cut at once', async (_how, isWhole) => {
    const { key, asking } = await longLogOf(server, 'live');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const client = await connectByHand(key);
      for (const id of ['1', '2', '3', '4', '5', '6']) {
        client.send({ type: 'subscribe', id, payload: { query: asking(1) } });
        await client.receives((message) => message.type === 'complete' && message.id === id);
      }
      await client.heartbeat();
      await client.answerPing(isWhole);
      await client.heartbeat();
      await vi.advanceTimersByTimeAsync(heartbeatMs);
      expect((await client.closed()).code).toBe(1006);
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes just as much as is promised is not cut while its answer is on its way', async () => {
    const { test: key } = await server.createTeam();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const client = await connectByHand(key);
      await client.heartbeat();
      await client.answerPing();
      client.send({ type: 'ping', payload: { filling: 'x'.repeat(slowestBytes - 1_000) } });
      await client.receives(({ type, payload }) => type === 'pong' && payload);
      await client.heartbeat();
      await vi.advanceTimersByTimeAsync(heartbeatMs);
      await client.answerPing();
      expect(client.socket.readyState).toBe(client.socket.OPEN);
      client.socket.terminate();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['and asks meanwhile', true, false, 2_000_000],
    ['and says nothing', false, false, 2_000_000],
    ['from a proxy that hoards, and asks meanwhile', true, true, slowestBytes],
    ['from a proxy that hoards, and says nothing', false, true, slowestBytes],
  ])(
    'reads all the time, however slowly, %s gets long answers',
    async (_case, asksOn, isHoarded, portion) => {
      const { key, asking } = await longLogOf(server, 'live');
      const link = await startSlowLink(new URL(server.url));
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      try {
        const { socket, messages, send } = await connectRawSocket(link.url, key);
        const ids = ['1', '2', '3', '4', '5', '6'];
        for (const id of ids) send({ type: 'subscribe', id, payload: { query: asking(1) } });
        const ended = () =>
          socket.readyState !== socket.OPEN ||
          messages.filter(({ type }) => type === 'complete').length === ids.length;
        if (isHoarded) {
          await atRest(link.taken);
          // More than 1 MiB waits for it: it is not read from.
          if (asksOn) send({ type: 'ping' });
          await server.rest('GET', '/health/live');
          link.hoard();
          await eventually(() => link.taken() > ids.length * 1_000 * excerptCharacters);
        }
        while (!ended()) {
          if (asksOn) send({ type: 'ping' });
          link.letThrough(portion);
          await eventually(() => link.isWaiting() || ended());
          await vi.advanceTimersByTimeAsync(heartbeatMs);
        }
        const answers = messages.filter(({ type, payload }) => type === 'next' && payload.data);
        expect(answers.map(({ id }) => id).sort()).toEqual(ids);
        socket.terminate();
      } finally {
        vi.useRealTimers();
        link.close();
      }
    },
  );
});

/** Stands between a client and the server, whose answers it lets through in portions. */
async function startSlowLink(target: URL) {
  let left = 10_000;
  let isHoarding = false;
  let taken = 0;
  const held: Buffer[] = [];
  let passOn = (): void => undefined;
  const { url, close } = await startServiceLink(target, (near, far) => {
    near.on('data', (bytes: Buffer) => far.write(bytes));
    far.on('data', (bytes: Buffer) => {
      held.push(bytes);
      taken += bytes.length;
      passOn();
    });
    passOn = () => {
      while (left > 0 && held.length > 0) {
        const bytes = held.shift() as Buffer;
        near.write(bytes);
        left -= bytes.length;
      }
      if (left > 0 || isHoarding) far.resume();
      else far.pause();
    };
  });
  return {
    url: new URL(url).origin,
    close,
    /** Bytes that it has taken from the server. */
    taken: () => taken,
    /** Takes whatever comes from the server at once from now on, and keeps it. */
    hoard() {
      isHoarding = true;
      passOn();
    },
    /** Whether as much has come through as was let. */
    isWaiting: () => left <= 0,
    letThrough(bytes: number) {
      left = bytes;
      passOn();
    },
  };
}
