import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/client.ts';
import { availableEngines } from '../harness/engines.ts';
import { useServerProcesses } from './serverProcess.ts';

const engine = availableEngines().find(({ name }) => name === 'PostgreSQL and Redis');

/** Stands between a server and its database, and stops passing anything on when it is told to. */
async function startGate(target: URL) {
  const sockets = new Set<Socket>();
  let isShut = false;
  let swallowedBytes = 0;
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    from.on('data', (bytes) => {
      if (!isShut) to.write(bytes);
      else swallowedBytes += bytes.length;
    });
  };
  const gate = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    pass(near, far);
    pass(far, near);
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((gate.address() as AddressInfo).port);
  return {
    url: url.href,
    shut() {
      isShut = true;
    },
    /** Whether anything was said since it is shut. */
    hasSwallowed: () => swallowedBytes > 0,
    close() {
      gate.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe.runIf(engine)('A database that does not answer any more', () => {
  const startProcess = useServerProcesses();

  test('does not keep a process from its end', async () => {
    const place = await engine!.allocate();
    const gate = await startGate(new URL(place.settings.DATABASE_URL as string));
    try {
      const key = 'sk_live_0123456789abcdef';
      const settings = { ...place.settings, DATABASE_URL: gate.url, PORT: '0', BOOTSTRAP_LIVE_KEY: key };
      const server = startProcess(settings);
      const url = await server.ready();
      gate.shut();
      const unanswered = fetch(`${url}/api/v1/wallet/balance`, {
        headers: { authorization: `Bearer ${key}` },
      }).catch((error: Error) => error);
      await eventually(() => gate.hasSwallowed());
      expect(await server.stop()).toEqual({ code: 1, signal: null });
      expect(server.log().at(-1)).toMatchObject({
        level: 50,
        msg: expect.stringContaining('not stopped in time'),
      });
      expect(await unanswered).toBeInstanceOf(Error);
    } finally {
      gate.close();
      await place.release();
    }
  });
});
