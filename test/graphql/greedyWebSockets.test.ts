import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket, openRawSocket } from '../harness/rawSocket.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { openSilentSocket } from './silentSocket.ts';

describeOneEngine('What a WebSocket has the server keep is bounded:', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it('a message comes in as many fragments as one of 1 MiB in pieces of 16 KiB, and in no more', async () => {
    const { socket, receives, closed } = await connectRawSocket(server.url, server.keys.test);
    const piece = 16 * 1_024;
    const ending = '"}}';
    const text = '{"type":"ping","payload":{"filling":"'.padEnd(64 * piece - ending.length, 'x') + ending;
    for (let start = 0; start < text.length; start += piece)
      socket.send(text.slice(start, start + piece), { fin: start + piece === text.length });
    const { payload } = await receives(({ type }) => type === 'pong');
    expect(text).toContain(payload.filling);
    for (let sent = 0; sent < 65; sent += 1) socket.send(sent === 0 ? ' ' : '', { fin: false });
    expect((await closed()).code).toBe(1008);
  });

  it('a connection that brings far more than a key before it is cut', async () => {
    const { socket, closed } = await openRawSocket(server.url);
    socket.send('{', { fin: false });
    for (let sent = 0; sent < 1_000; sent += 1) socket.pong('x'.repeat(125));
    expect((await closed()).code).toBe(1006);
  });

  it('a connection that brings as much with a key goes on', async () => {
    const { socket, caughtUp } = await connectRawSocket(server.url, server.keys.test);
    for (let sent = 0; sent < 1_000; sent += 1) socket.pong('x'.repeat(125));
    await caughtUp();
    socket.terminate();
  });

  it.each([
    ['messages', (socket: WebSocket) => socket.send('{"type":"ping"}'), 'message'],
    ['frames of control', (socket: WebSocket) => socket.ping('x'.repeat(15)), 'pong'],
  ] as const)('who sends many small %s without waiting holds up nobody else', async (_what, ask, answer) => {
    const { socket } = await connectRawSocket(server.url, server.keys.test);
    try {
      const asked = 4_000;
      let answered = 0;
      socket.on(answer, () => {
        answered += 1;
      });
      for (let sent = 0; sent < asked; sent += 1) ask(socket);
      await server.rest('GET', '/health/live');
      // One in each turn of the event loop.
      expect(answered).toBeLessThan(1_000);
      await eventually(() => answered === asked, 60_000);
    } finally {
      socket.terminate();
    }
  });

  it('a client that is seen off for what it did, and stays, is cut soon', async () => {
    const { connection, received, isOver, say } = await openSilentSocket(server.url);
    try {
      say('{}');
      await eventually(() => received().includes('Invalid message received'));
      await eventually(isOver, 15_000);
    } finally {
      connection.destroy();
    }
  });

  it('a frame comes in no more reads than most links need for a packet each', async () => {
    const { connection, received } = await openSilentSocket(server.url);
    try {
      // Its end never comes: a text of 16 KiB, under a mask of zeros.
      connection.write(Buffer.from([0x81, 0xfe, 0x40, 0, 0, 0, 0, 0]));
      // The close code, 1008.
      const isSeenOff = () => received().includes('\x88\x02\x03\xf0');
      for (let sent = 1; sent < 16_384 && !isSeenOff(); sent += 1) {
        connection.write(' ');
        await new Promise(setImmediate);
      }
      await eventually(isSeenOff);
    } finally {
      connection.destroy();
    }
  });
});
