import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket, type RawSocket } from '../harness/rawSocket.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** As README has it. */
const mostOfKey = 32;

/** More than comes in one read. */
const longMessage = JSON.stringify({ type: 'ping', payload: { filling: 'x'.repeat(600_000) } });

describeOneEngine('Long messages of one client that come in at once', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it('are no more than so many; those of others do not wait, nor does who is silent', async () => {
    const { live, test } = await server.createTeam();
    const opened: RawSocket[] = [];
    const several = async (count: number, key: string) => {
      const made = await Promise.all(Array.from({ length: count }, () => connectRawSocket(server.url, key)));
      opened.push(...made);
      return made;
    };
    const isAnswered = ({ messages }: RawSocket) => messages.some(({ type }) => type === 'pong');
    /** Sends all but the end of a message, which the server has read when this resolves. */
    const begin = async ({ socket }: RawSocket) => {
      socket.send(longMessage.slice(0, -1), { fin: false });
      socket.ping();
      await once(socket, 'pong');
    };
    const end = ({ socket }: RawSocket) => socket.send(longMessage.slice(-1), { fin: true });
    const sendWhole = ({ socket }: RawSocket) => socket.send(longMessage);
    /** The server has looked at all that came before. */
    const caughtUp = async () => {
      for (let times = 0; times < 5; times += 1) await server.rest('GET', '/health/live');
    };
    try {
      // Frames of control are no messages, however many have come.
      const listening = await several(mostOfKey, live);
      // Of what has no payload six bytes come.
      for (let answers = 0; answers < 3_000; answers += 1) listening[0]?.socket.pong();
      for (const { socket } of listening) {
        let pongs = 0;
        socket.on('pong', () => (pongs += 1));
        // Who only listens answers pings for hours.
        for (let answers = 0; answers < 300; answers += 1) socket.pong('x'.repeat(100));
        for (let pings = 0; pings < 300; pings += 1) socket.ping('x'.repeat(100));
        await eventually(() => pongs === 300);
      }
      const held = await several(mostOfKey, live);
      await Promise.all(held.map(begin));
      const [left, waiting, silent] = (await several(3, live)) as [RawSocket, RawSocket, RawSocket];
      sendWhole(left);
      await caughtUp();
      sendWhole(waiting);
      const [other] = (await several(1, test)) as [RawSocket];
      sendWhole(other);
      await eventually(() => isAnswered(other));
      await silent.caughtUp();
      // What comes in one read is no long message, though it looks like one for a moment.
      const { _socket: connection } = silent.socket as unknown as { _socket: Socket };
      connection.cork();
      for (let pings = 0; pings < 2_000; pings += 1) silent.send({ type: 'ping' });
      connection.uncork();
      await eventually(() => silent.messages.length > 2_000);
      await caughtUp();
      expect([left, waiting].filter(isAnswered)).toEqual([]);
      left.socket.terminate();
      end(held[0] as RawSocket);
      await eventually(() => isAnswered(waiting));
      expect(isAnswered(held[0] as RawSocket)).toBe(true);
      // Who leaves, before it is its turn or in it, takes nobody's place along.
      for (const { socket } of held) socket.terminate();
      const next = await several(mostOfKey, live);
      await Promise.all(next.map(begin));
      for (const one of next.toReversed()) end(one);
      for (const one of next) await eventually(() => isAnswered(one));
    } finally {
      for (const { socket } of opened) socket.terminate();
    }
  });

  it('are kept, and count, until they are parsed, though all of them have come', async () => {
    const { live } = await server.createTeam();
    const opened: RawSocket[] = [];
    /** Takes long to parse. */
    const dear = JSON.stringify({ type: 'ping', filling: Array.from({ length: 120_000 }, () => ({})) });
    /** Begins as many as may come in at once, and says of how many the server has read all but the end. */
    const beginAll = async () => {
      let begun = 0;
      const sockets = await Promise.all(
        Array.from({ length: mostOfKey }, () => connectRawSocket(server.url, live)),
      );
      opened.push(...sockets);
      for (const { socket } of sockets) {
        socket.on('pong', () => (begun += 1));
        socket.send(dear.slice(0, -1), { fin: false });
        socket.ping();
      }
      return { sockets, begun: () => begun };
    };
    const parsed = (sockets: RawSocket[]) =>
      sockets.filter(({ messages }) => messages.some(({ type }) => type === 'pong')).length;
    try {
      const first = await beginAll();
      await eventually(() => first.begun() === mostOfKey);
      const second = await beginAll();
      for (let times = 0; times < 5; times += 1) await server.rest('GET', '/health/live');
      expect(second.begun()).toBe(0);
      for (const { socket } of first.sockets) socket.send(dear.slice(-1), { fin: true });
      let most = 0;
      await eventually(() => {
        const done = parsed(first.sockets);
        most = Math.max(most, second.begun() - done);
        return done === mostOfKey;
      }, 60_000);
      // An answer may be seen a little later than what it made room for.
      expect(most).toBeLessThan(mostOfKey / 4);
      await eventually(() => second.begun() === mostOfKey);
    } finally {
      for (const { socket } of opened) socket.terminate();
    }
  });

  it('are heard in the order in which they came, and what is short and comes behind them after them', async () => {
    const { live } = await server.createTeam();
    const one = await connectRawSocket(server.url, live);
    const { _socket: connection } = one.socket as unknown as { _socket: Socket };
    // Each takes so long to parse that the next waits.
    const filling = Array.from({ length: 120_000 }, () => ({}));
    const numbers = Array.from({ length: 12 }, (_, number) => number);
    try {
      // What is short comes in one read with the end of what is long, when reading more is too late to be put off.
      connection.cork();
      for (const number of numbers)
        one.send({ type: 'ping', payload: { number }, ...(number % 4 < 2 ? { filling } : {}) });
      connection.uncork();
      const heard = () =>
        one.messages.flatMap(({ type, payload }) => (type === 'pong' ? [payload.number] : []));
      await eventually(() => heard().length === numbers.length);
      expect(heard()).toEqual(numbers);
    } finally {
      one.socket.terminate();
    }
  });

  it('of one WebSocket stay with its client while one of them waits to be parsed', async () => {
    const { live } = await server.createTeam();
    const one = await connectRawSocket(server.url, live);
    const dear = JSON.stringify({ type: 'ping', filling: Array.from({ length: 120_000 }, () => ({})) });
    const times = 200;
    try {
      for (let sent = 0; sent < times; sent += 1) one.socket.send(dear);
      const heard = () => one.messages.filter(({ type }) => type === 'pong').length;
      // By then all would have been read.
      await eventually(() => heard() >= 60);
      // Systems keep a few MiB on the way.
      expect(one.socket.bufferedAmount).toBeGreaterThan(((times - heard()) * dear.length) / 2);
    } finally {
      one.socket.terminate();
    }
  });
});
