import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** Ends what a server answers: its last letter says whether a transaction is open. */
const idle = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** A session of the server, and whose it is at this moment. */
interface Lent {
  readonly server: Socket;
  /** What it said when it began. */
  readonly greeting: Promise<Buffer>;
  client: Socket | null;
  isFree: boolean;
}

/**
 * Stands before a database as poolers do that lend sessions for a transaction each: all clients have a few sessions of the
 * server, which are the first client's, and lent in turns as soon as they rest. For simple statements, one at a time.
 */
export async function startTransactionPooler(target: URL, sessionCount: number) {
  const waiting: { client: Socket; asked: Buffer }[] = [];
  const serveNext = () => {
    const session = sessions.find(({ isFree }) => isFree);
    const next = session && waiting.shift();
    if (!next) return;
    // Behind the others, so that each has its turn.
    sessions.push(...sessions.splice(sessions.indexOf(session), 1));
    Object.assign(session, { client: next.client, isFree: false });
    session.server.write(next.asked);
  };
  const open = (): Lent => {
    const server = connect(Number(target.port || 5432), target.hostname);
    let answered = Buffer.alloc(0);
    const greeting = new Promise<Buffer>((greet) => {
      server.on('data', (answer) => {
        session.client?.write(answer);
        answered = Buffer.concat([answered, answer]);
        if (!answer.subarray(-idle.length).equals(idle)) return;
        greet(answered);
        Object.assign(session, { client: null, isFree: true });
        serveNext();
      });
    });
    const session: Lent = { server, greeting, client: null, isFree: false };
    return session;
  };
  const sessions = Array.from({ length: sessionCount }, open);
  let begun: Promise<Buffer[]> | null = null;
  const begin = (startup: Buffer) =>
    Promise.all(
      sessions.map(({ server, greeting }) => {
        server.write(startup);
        return greeting;
      }),
    );
  const pooler = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', async (startup) => {
      begun ??= begin(startup);
      client.write((await begun)[0]!);
      client.on('data', (asked) => {
        // Its end is no end of the session.
        if (asked[0] === 'X'.charCodeAt(0)) return;
        const own = sessions.find((session) => session.client === client);
        if (own) own.server.write(asked);
        else waiting.push({ client, asked });
        serveNext();
      });
    });
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  return {
    port: (pooler.address() as AddressInfo).port,
    close() {
      pooler.close();
      for (const { server } of sessions) server.destroy();
    },
  };
}
