import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { dayMs } from '../harness/testClock.ts';

const made = 20_000;

const listDocument = `query ($createdAfter: Moment, $status: BookingStatus, $page: PageNumber! = 1, $orderDir: OrderDirection) {
  bookings(createdAfter: $createdAfter, status: $status, page: $page, limit: 100, orderBy: total_amount, orderDir: $orderDir) {
    items { id }
    pagination { total }
  }
}`;

describeEngines('A list of very many bookings', (engine) => {
  let server: TestServer;
  // What PostgreSQL expects depends on all that there is: each test knows what that is.
  beforeEach(async () => {
    // One session, which has seen every request and can be asked what it has read.
    server = await startTestServer(engine, { settings: { ROLES: 'api', DATABASE_POOL_SIZE: '1' } });
  });
  afterEach(() => server?.close());

  const rowsRead = async () => {
    await server.query('SELECT pg_stat_force_next_flush()');
    const [row] = await server.query<{ read: string }>(
      `SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_user_tables WHERE relname = 'bookings'`,
    );
    return Number(row?.read);
  };

  /** As many an hour, of any amount, in a state by their number. */
  const book = (teamId: string, count: number, statusSql: string) =>
    server.query(
      `INSERT INTO bookings (id, wallet_id, team_id, mode, booking_reference, type, status, amount_cents, offer_id,
                             supplier, supplier_reference, passengers, sealed_travellers, slices, terms, departs_at,
                             payment_required_by, created_at, updated_at, ended_at)
       SELECT 'ord_' || right(team_id, 6) || lpad(n::text, 20, '0'), id, team_id, mode, right(team_id, 6) || n, 'hold',
              ${statusSql}, 10000 + n * 7919 % 100003, 'off_' || n, 'simulated', n::text, '[]', $2, '[]', '{}', t, t, t, t, t
         FROM wallets, generate_series(1, ${count}) n, LATERAL (SELECT now() - n * interval '1 hour' AS t) t
        WHERE team_id = $1 AND mode = 'live'`,
      [teamId, server.running.gateway.platform.vault.seal('[]')],
    );

  async function skipUnlessCounted(skip: (condition: boolean, note: string) => void) {
    const [{ version } = { version: 0 }] = await server.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::integer AS version`,
    );
    skip(version < 150_000, 'only servers from PostgreSQL 15 on tell at once what they have read');
  }

  it('by amount reads few for the last days, also after pages of the last years', async ({ skip }) => {
    await skipUnlessCounted(skip);
    const { live: key, teamId } = await server.createTeam();
    await book(teamId, made, `CASE WHEN n % 5 = 0 THEN 'cancelled' ELSE 'expired' END`);
    await server.query('VACUUM ANALYZE bookings');
    const total = async (filter: { createdAfter: string; status: string | null; page?: number }) => {
      const { body } = await server.graphql(listDocument, filter, key);
      return body.data.bookings.pagination.total;
    };
    const lately = new Date(Date.now() - 2 * dayMs).toISOString();
    for (const [status, ofLately] of [
      [null, 47],
      ['expired', 38],
    ] as const) {
      // After five executions PostgreSQL compares what plans for their values cost with what one for any values does.
      for (let page = 40; page < 47; page += 1)
        expect(await total({ createdAfter: '2000-01-01', status, page })).toBeGreaterThan(made / 2);
      const before = await rowsRead();
      expect(await total({ createdAfter: lately, status })).toBe(ofLately);
      expect((await rowsRead()) - before).toBeLessThan(made / 20);
    }
  });

  it('by amount reads few of a state that others’ bookings have', async ({ skip }) => {
    await skipUnlessCounted(skip);
    const [{ live: key, teamId }, others] = await Promise.all([server.createTeam(), server.createTeam()]);
    await book(teamId, made, `CASE WHEN n % ${made / 10} = 0 THEN 'failed' ELSE 'expired' END`);
    await book(others.teamId, made / 4, `'failed'`);
    await server.query('VACUUM ANALYZE bookings');
    const before = await rowsRead();
    const filter = { createdAfter: '2000-01-01', status: 'failed' };
    for (const variables of [filter, { status: 'failed' }, { ...filter, orderDir: 'asc' }]) {
      const { body } = await server.graphql(listDocument, variables, key);
      const { items, pagination } = body.data.bookings;
      expect([items.length, pagination.total]).toEqual([10, 10]);
    }
    expect((await rowsRead()) - before).toBeLessThan(made / 20);
  });
});
