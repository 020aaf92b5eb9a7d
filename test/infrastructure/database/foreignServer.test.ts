import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeSeveralSessions } from '../../harness/engines.ts';
import type { TestServer } from '../../harness/server.ts';
import { startTestServer } from '../../harness/server.ts';
import { startRewritingLink } from './rewritingLink.ts';

/** Words of a server that speaks English, and others as long. */
const otherWords: readonly (readonly [string, string])[] = [
  ['cached plan must not change result type', 'el plan no debe cambiar el tipo de dato'],
  ['"idempotency_keys"', "'idempotency_keys'"],
];

describeSeveralSessions('A server that does not speak English', (engine) => {
  let link: Awaited<ReturnType<typeof startRewritingLink>>;
  let server: TestServer;
  let other: pg.Client;
  const heard = new Set<string>();
  beforeAll(async () => {
    server = await startTestServer(engine);
    other = await server.openSession();
    link = await startRewritingLink(new URL(server.environment.DATABASE_URL ?? ''), {
      told: (text) =>
        otherWords.reduce((told, [english, foreign]) => {
          if (told.includes(english)) heard.add(english);
          return told.replaceAll(english, foreign);
        }, text),
    });
    // The one connection that has a statement prepared is the one that it is asked on again.
    await server.restart({ DATABASE_URL: link.url, DATABASE_POOL_SIZE: '1' });
  });
  afterAll(async () => {
    await server?.close();
    link?.close();
  });

  it('is asked again for what a migration has given another type', async () => {
    const { live: key } = await server.createTeam();
    const balance = async () => (await server.rest('GET', '/api/v1/wallet/balance', { key })).status;
    expect(await balance()).toBe(200);
    await other.query('ALTER TABLE wallets ALTER COLUMN balance_cents TYPE numeric');
    try {
      expect(await Promise.all([balance(), balance(), balance()])).toEqual([200, 200, 200]);
      expect(heard).toContain('cached plan must not change result type');
    } finally {
      await other.query('ALTER TABLE wallets ALTER COLUMN balance_cents TYPE bigint');
    }
  });

  it('says what is waited for: a key whose first request is at work is told so', async () => {
    const { teamId, live: key } = await server.createTeam();
    const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
    const headers = { 'idempotency-key': 'K' };
    await other.query('BEGIN');
    try {
      await other.query(
        `INSERT INTO idempotency_keys (scope, key, fingerprint, outcome, created_at)
         VALUES ($1, 'K', 'another process', '{}', now())`,
        [`${teamId}/live`],
      );
      const refused = await server.rest('POST', '/api/v1/wallet/recharge', { key, body, headers });
      expect([refused.status, refused.body.error.message]).toEqual([
        409,
        'A request with this Idempotency-Key is still in progress',
      ]);
      expect(heard).toContain('"idempotency_keys"');
    } finally {
      await other.query('ROLLBACK');
    }
  });
});
