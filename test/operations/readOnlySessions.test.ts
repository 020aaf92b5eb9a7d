import type { Socket } from 'node:net';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { startServiceLink } from '../harness/serviceLink.ts';

/** What a server says of a session that takes no writes any more (PostgreSQL manual, "Message Formats", ParameterStatus). */
const readOnly = (() => {
  const setting = Buffer.from('default_transaction_read_only\0on\0');
  const head = Buffer.from([0x53, 0, 0, 0, setting.length + 4]);
  return Buffer.concat([head, setting]);
})();

/** The end of an answer outside transactions: ReadyForQuery. */
const endOfAnswer = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Stands before a database, and knows which sessions are asked. */
async function startWatchingLink(target: URL) {
  const former = new Set<Socket>();
  const present = new Set<Socket>();
  let isReadOnly = false;
  let askedOfFormer = 0;
  const link = await startServiceLink(target, (near, far) => {
    present.add(near);
    near.on('close', () => {
      present.delete(near);
      former.delete(near);
    });
    near.on('data', (bytes: Buffer) => {
      if (former.has(near)) askedOfFormer += 1;
      far.write(bytes);
    });
    let isTold = false;
    far.on('data', (bytes: Buffer) => {
      const tells = isReadOnly && former.has(near) && !isTold && bytes.subarray(-6).equals(endOfAnswer);
      isTold ||= tells;
      near.write(tells ? Buffer.concat([bytes.subarray(0, -6), readOnly, endOfAnswer]) : bytes);
    });
  });
  return {
    ...link,
    get hasSessions() {
      return present.size > 0;
    },
    /** From now on those that are there are the former ones. */
    mark() {
      for (const near of present) former.add(near);
    },
    /** Has each of the former ones say with its next answer that it takes no writes any more. */
    sayReadOnly() {
      isReadOnly = true;
    },
    get askedOfFormer() {
      return askedOfFormer;
    },
  };
}

describeSeveralSessions('Sessions that take no writes any more', (engine) => {
  let server: TestServer;
  let other: pg.Client;
  let link: Awaited<ReturnType<typeof startWatchingLink>>;
  let isOver: boolean;
  let readers: Promise<unknown>;
  let answers: number[];
  beforeEach(async () => {
    server = await startTestServer(engine);
    other = await server.openSession();
    link = await startWatchingLink(new URL(server.environment.DATABASE_URL ?? ''));
    await server.restart({ DATABASE_URL: link.url, ROLES: 'api' });
    const { live: key } = await server.createTeam();
    isOver = false;
    answers = [];
    const read = async () => {
      while (!isOver) answers.push((await server.rest('GET', '/api/v1/wallet/balance', { key })).status);
    };
    // Without a pause: a connection that rests goes back, and whoever writes may take it.
    readers = Promise.all([read(), read(), read()]);
  });
  afterEach(async () => {
    isOver = true;
    await readers;
    await server.close();
    link.close();
  });

  const readMore = async (count = 30) => {
    const enough = answers.length + count;
    await eventually(() => answers.length >= enough);
  };

  /** Nobody asks one of the former sessions, however much is read. */
  const expectThemLeft = () =>
    eventually(async () => {
      const before = link.askedOfFormer;
      await readMore();
      return link.askedOfFormer === before;
    });

  it('are left by those who only read, however much they read', async () => {
    await readMore();
    link.mark();
    await readMore();
    expect(link.askedOfFormer).toBeGreaterThan(0);
    link.sayReadOnly();
    await expectThemLeft();
    expect(new Set(answers)).toEqual(new Set([200]));
  });

  it('from their beginning are left soon for those of a server that takes them', async () => {
    const name = new URL(link.url).pathname.slice(1);
    await other.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    const ended = await other.query(
      `SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
        WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
    );
    expect(ended.rowCount).toBeGreaterThan(0);
    // They serve those who only read.
    await eventually(() => link.hasSessions && answers.at(-1) === 200);
    link.mark();
    await other.query(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
    await expectThemLeft();
    expect(answers.at(-1)).toBe(200);
  });
});
