import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { rowsOf, silenceMs } from '../../../src/infrastructure/database/namedQuery.ts';

const greeting = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');

/** A server that greets whoever connects, and says nothing more. */
async function startSilentServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).once('data', () => socket.write(greeting));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

it.each([true, false])(
  'a connection that stays silent fails all who ask on it (pipelined: %s)',
  { timeout: 15_000 },
  async (pipeline) => {
    const server = await startSilentServer();
    const client = new pg.Client(server.url);
    client.on('error', () => undefined);
    try {
      await client.connect();
      (client as unknown as { pipeline: boolean }).pipeline = pipeline;
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const ask = (name: string) => rowsOf(client as never, { name, text: 'SELECT 1', values: [] });
      const answers = Promise.allSettled([ask('first'), ask('second')]);
      await vi.advanceTimersByTimeAsync(silenceMs);
      for (const answer of await answers) {
        expect(answer).toMatchObject({
          status: 'rejected',
          reason: { message: 'first: the database is silent' },
        });
      }
    } finally {
      server.close();
      client.connection.stream.destroy();
    }
  },
);
