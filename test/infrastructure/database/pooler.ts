import { once } from 'node:events';
import type { AddressInfo, ListenOptions } from 'node:net';
import { connect, createServer } from 'node:net';

/** What a client sends first: its session's settings. */
type Rewriting = (startup: Buffer) => Buffer;

/** Stands before a database where it is told to listen, and hands on what comes; the first of it rewritten. */
export async function startPooler(
  target: URL,
  place: ListenOptions,
  rewritten: Rewriting = (startup) => startup,
) {
  const pooler = createServer((client) => {
    const server = connect(Number(target.port || 5432), target.hostname);
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    server.on('error', () => client.destroy()).pipe(client);
    client.once('data', (startup) => {
      server.write(rewritten(startup));
      client.pipe(server);
    });
  }).listen(place);
  await once(pooler, 'listening');
  return {
    port: (pooler.address() as AddressInfo).port,
    close: () => pooler.close(),
  };
}
