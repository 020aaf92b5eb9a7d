import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** Where a service is found whose URL names no port. */
const usualPorts: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
};

/**
 * Stands between a server and its database or Redis: connections end together, and `pass` says what of either reaches the
 * other. A function says anew for each connection where the service is.
 * @returns the URL to connect to in place of the service's.
 */
export async function startServiceLink(target: URL | (() => URL), pass: (near: Socket, far: Socket) => void) {
  const service = typeof target === 'function' ? target : () => target;
  const sockets = new Set<Socket>();
  const listener = createServer((near) => {
    const { port, protocol, hostname } = service();
    const far = connect(Number(port || usualPorts[protocol]), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    pass(near, far);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(service());
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
