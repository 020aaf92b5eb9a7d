import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestRecharge, storedWalletEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { transports } from '../harness/subscribers.ts';

const engine = realEngine();

describe.runIf(engine)('When the database goes away', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer(engine!);
  });
  afterEach(() => server.close());

  const administer = (...statements: string[]) => perform(process.env.TEST_DATABASE_URL, statements);

  /** In a session of its own: those of the server may be what is tested. */
  async function perform(connectionString: string | undefined, statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  const databaseName = () => new URL(server.environment.DATABASE_URL ?? '').pathname.slice(1);

  const ready = async () => {
    const { status, body } = await server.rest('GET', '/health/ready');
    return { status, database: body.checks.database };
  };

  /** Ends all sessions after a statement that lets no new one make the server ready. */
  async function endSessions(statement: string): Promise<void> {
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${databaseName()}'`;
    await administer(statement, end);
    await eventually(async () => (await ready()).status === 503);
    // One that was being let in at that moment is seen a little later.
    await administer(end);
  }

  /** What is tried again and again, some of it for each subscriber: that it fails is said once, and that it works again. */
  const lookedAtAgainAndAgain = [
    ['keys not checked; trying again', 'keys are checked again'],
    ['events not read; trying again with the next look', 'events are read again'],
    ['order tasks not claimed; trying again with the sweep', 'order tasks are claimed again'],
    ['sweep failed; it runs again: webhooks', 'sweep works again: webhooks'],
    ['sweep failed; it runs again: booking-expiry', 'sweep works again: booking-expiry'],
  ] as const;

  const linesOf = (...messages: string[]): string[] =>
    server.logLines
      .map((line) => JSON.parse(line))
      .map(({ msg, sweep }) => (sweep === undefined ? msg : `${msg}: ${sweep}`))
      .filter((message) => messages.includes(message));

  it('the server says so, refuses without a word of its troubles, and goes on when it is back', async () => {
    const { teamId, test: key } = await server.createTeam();
    await requestRecharge(server, key);
    const [start] = await storedWalletEvents(server, teamId, 'test');
    const subscribers = transports.map(({ subscribe }) =>
      subscribe(server.url, { key, variables: { after: start.id } }),
    );
    await requestRecharge(server, key);
    for (const subscriber of subscribers) await subscriber.sees(1);
    expect(await ready()).toEqual({ status: 200, database: 'ok' });

    await endSessions(`ALTER DATABASE "${databaseName()}" ALLOW_CONNECTIONS false`);
    expect(await ready()).toEqual({ status: 503, database: 'unavailable' });
    expect((await server.rest('GET', '/health/live')).status).toBe(200);
    for (const [lost, back] of lookedAtAgainAndAgain)
      await eventually(() => linesOf(lost, back).at(-1) === lost);
    const refused = await server.rest('GET', '/api/v1/wallet/balance', { key });
    expect(refused.status).toBe(500);
    expect(refused.body.error).toEqual({ code: 'INTERNAL_ERROR', message: 'Internal error', details: {} });
    const { body } = await server.graphql('{ walletBalance { balance } }', null, key);
    expect(body.errors).toMatchObject([
      { message: 'Internal error', extensions: { code: 'INTERNAL_ERROR' } },
    ]);

    await administer(`ALTER DATABASE "${databaseName()}" ALLOW_CONNECTIONS true`);
    await eventually(async () => (await ready()).status === 200);
    for (let count = 0; count < 3; count += 1) await requestRecharge(server, key);
    const stored = await storedWalletEvents(server, teamId, 'test');
    for (const subscriber of subscribers) {
      expect(await subscriber.sees(stored.length - 1)).toEqual(stored.slice(1));
      subscriber.cut();
    }
    for (const [lost, back] of lookedAtAgainAndAgain) {
      await eventually(() => linesOf(lost, back).at(-1) === back);
      const pairs = linesOf(lost, back).length / 2;
      expect(linesOf(lost, back)).toEqual(Array(pairs).fill([lost, back]).flat());
    }
  });

  it('a server that takes no writes is none to be ready for, and is left for one that does', async () => {
    const { test: key } = await server.createTeam();
    const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
    const recharge = async () => (await server.rest('POST', '/api/v1/wallet/recharge', { key, body })).status;
    expect(await recharge()).toBe(201);

    // As at a failover: sessions end, and new ones find a standby.
    await endSessions(`ALTER DATABASE "${databaseName()}" SET default_transaction_read_only = on`);
    await eventually(async () => (await recharge()) === 500);
    expect(await ready()).toEqual({ status: 503, database: 'unavailable' });
    await eventually(
      async () => (await server.rest('GET', '/api/v1/wallet/balance', { key })).status === 200,
    );

    // No session ends: those that are open stay read-only.
    await administer(`ALTER DATABASE "${databaseName()}" RESET default_transaction_read_only`);
    // Each write that such a session refuses ends it: one more than there are finds another.
    const { DATABASE_POOL_SIZE } = server.running.gateway.platform.settings;
    const answers: number[] = [];
    while (answers.at(-1) !== 201 && answers.length <= DATABASE_POOL_SIZE) answers.push(await recharge());
    expect(answers.at(-1)).toBe(201);
    await eventually(async () => (await ready()).status === 200);
  });

  it('a build starts again after a later one, and is ready beside it', async () => {
    await perform(server.environment.DATABASE_URL, [
      `INSERT INTO migrations (name) VALUES ('999-of-a-later-build')`,
    ]);
    await server.restart();
    await eventually(async () => (await ready()).status === 200);
  });
});
