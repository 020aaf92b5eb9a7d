import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/infrastructure/database/database.ts';

/** A message of PostgreSQL's protocol. */
function message(type: string, content: string): Buffer {
  const bytes = Buffer.from(`${type}0000${content}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

it('a session that the server ends with its greeting fails whoever wanted it, and nothing else', async () => {
  const greetingAndEnd = Buffer.concat([
    message('R', '\0\0\0\0'),
    message('Z', 'I'),
    message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
  ]);
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(greetingAndEnd));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = { DATABASE_POOL_SIZE: 1, DATABASE_POOL_TIMEOUT: 10_000, DATA_DIR: 'none' };
  // An error that nobody hears would fail the whole run.
  await expect(
    openDatabase(
      { ...settings, DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing` },
      [],
      pino({ level: 'silent' }),
    ),
  ).rejects.toThrow(/not queryable|terminat/);
  server.close();
});
