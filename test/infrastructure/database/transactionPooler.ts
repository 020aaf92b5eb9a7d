import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** Ends what a server answers: its last letter says whether a transaction is open. */
const idle = Buffer.from('Z\0\0\0\x05I', 'latin1');

/**
 * Stands before a database as poolers do that lend sessions for a transaction each: all clients have one session of the
 * server, the first client's, and it is another's as soon as it rests. For simple statements, one at a time.
 */
export async function startTransactionPooler(target: URL) {
  const server = connect(Number(target.port || 5432), target.hostname);
  const waiting: { client: Socket; asked: Buffer }[] = [];
  let served: Socket | null = null;
  let greeting = Buffer.alloc(0);
  let isGreeted = false;
  const serveNext = () => {
    if (served) return;
    const next = waiting.shift();
    if (!next) return;
    served = next.client;
    server.write(next.asked);
  };
  server.on('data', (answer) => {
    served?.write(answer);
    if (!isGreeted) greeting = Buffer.concat([greeting, answer]);
    if (!answer.subarray(-idle.length).equals(idle)) return;
    isGreeted = true;
    served = null;
    serveNext();
  });
  const pooler = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (startup) => {
      if (isGreeted) client.write(greeting);
      else waiting.push({ client, asked: startup });
      client.on('data', (asked) => {
        // Its end is no end of the session.
        if (asked[0] === 'X'.charCodeAt(0)) return;
        if (served === client) server.write(asked);
        else waiting.push({ client, asked });
        serveNext();
      });
      serveNext();
    });
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  return {
    port: (pooler.address() as AddressInfo).port,
    close() {
      pooler.close();
      server.destroy();
    },
  };
}
