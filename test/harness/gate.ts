import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** Stands between a server and its database, and stops passing anything on when it is told to. */
export async function startGate(target: URL) {
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
