import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { isInDoubt, noConnectionCame, openDatabase } from '../../../src/infrastructure/database/database.ts';

/** A message of PostgreSQL's protocol. */
function message(type: string, content: string): Buffer {
  const bytes = Buffer.from(`${type}0000${content}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

/** What comes of opening a database on a server that answers every session with these bytes and ends it. */
async function openOn(answer: Buffer, lines: string[] = []): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = { DATABASE_POOL_SIZE: 1, DATABASE_POOL_TIMEOUT: 10_000, DATA_DIR: 'none' };
  try {
    return await openDatabase(
      { ...settings, DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing` },
      [],
      pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    ).catch((error: unknown) => error);
  } finally {
    server.close();
  }
}

const refusal = (code: string, words: string) => message('E', `SFATAL\0C${code}\0M${words}\0\0`);

it('a session that the server ends with its greeting fails whoever wanted it, and nothing else', async () => {
  const greeting = [message('R', '\0\0\0\0'), message('Z', 'I')];
  const end = refusal('57P01', 'terminating connection due to administrator command');
  // An error that nobody hears would fail the whole run.
  const error = (await openOn(Buffer.concat([...greeting, end]))) as Error;
  expect(error.message).toMatch(/not queryable|terminat/);
  expect(noConnectionCame(error.cause)).toBe(false);
});

it('a server that has no session left is overloaded, as one is whose connections are all in use', async () => {
  const { cause } = (await openOn(refusal('53300', 'sorry, too many clients already'))) as Error;
  expect([noConnectionCame(cause), isInDoubt(cause)]).toEqual([true, false]);
});

it.each([
  ['lets nobody in', refusal('57P03', 'the database system is starting up')],
  ['ends each session before it has begun', Buffer.of()],
])('of a server that %s it is known that nothing was done', async (_what, answer) => {
  const { cause } = (await openOn(answer)) as Error;
  expect(isInDoubt(cause)).toBe(false);
});

it('a server that lets nobody in at the start is told of by whoever starts, and by nobody beside', async () => {
  const lines: string[] = [];
  const error = (await openOn(refusal('28P01', 'password authentication failed'), lines)) as Error;
  expect(error.message).toContain('password authentication failed');
  expect(lines).toEqual([]);
});
