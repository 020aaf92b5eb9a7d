import { once } from 'node:events';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

describeOneEngine('A WebSocket whose client', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  it('shows no life between two heartbeats is cut, and none whose client does', async () => {
    const heartbeatMs = 12_000;
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
  it.each<[string, number, (socket: WebSocket, sent: () => void) => void]>([
    [
      'by messages',
      200,
      (socket, sent) => socket.send(JSON.stringify({ type: 'ping', payload: { filling } }), sent),
    ],
    // A frame of control holds 125 bytes, and so does its answer.
    [
      'by frames of WebSockets',
      300,
      (socket, sent) => {
        for (let frame = 1; frame < 1_000; frame += 1) socket.ping(filling.slice(0, 125));
        socket.ping(filling.slice(0, 125), true, sent);
      },
    ],
  ])('asks %s without reading is cut, and prints nothing', async (_how, most, ask) => {
    const printed: unknown[] = [];
    const { error } = console;
    console.error = (...values) => void printed.push(values);
    // A heartbeat that is not answered would cut it as well.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const team = await server.createTeam();
      const { socket, closed } = await connectRawSocket(server.url, team.test);
      socket.pause();
      let sent = 0;
      while (socket.readyState === socket.OPEN && sent < most) {
        await new Promise<void>((resolve) => ask(socket, resolve));
        sent += 1;
      }
      socket.resume();
      expect((await closed()).code).toBe(1006);
      expect(printed).toEqual([]);
    } finally {
      vi.useRealTimers();
      console.error = error;
    }
  });
});
