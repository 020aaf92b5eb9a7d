import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { claimTasks, finishTask, postponeTask } from '../../src/domain/bookings/orderTask.ts';
import { expireOverdueRecharges } from '../../src/domain/recharges/ending.ts';
import { skipInactive } from '../../src/domain/webhooks/skipping.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** So many rows that a partial index of what comes into another state is looked for first, if it is believed empty. */
const usual = 5_000;

/** What comes into the other state after ANALYZE. Gone through for each of them, its index gives the square of that. */
const unforeseen = 100;

describeEngines('What comes into a state that ANALYZE met nothing in', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: {
        ROLES: 'api',
        // One session, which has run every statement and can be asked what it has read.
        DATABASE_POOL_SIZE: '1',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
        WEBHOOK_REACHABILITY_CHECK: 'false',
      },
    });
  });
  afterAll(() => server?.close());
  beforeEach(async ({ skip }) => {
    const [{ version } = { version: 0 }] = await server.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::integer AS version`,
    );
    skip(version < 150_000, 'only servers from PostgreSQL 15 on tell at once what they have read');
  });

  const entriesRead = async (index: string) => {
    await server.query('SELECT pg_stat_force_next_flush()');
    const [row] = await server.query<{ read: string }>(
      'SELECT idx_tup_read AS read FROM pg_stat_user_indexes WHERE indexrelname = $1',
      [index],
    );
    return Number(row?.read);
  };

  /** How many entries of an index are read by what `act` does. */
  const readBy = async (index: string, act: () => Promise<unknown>) => {
    const before = await entriesRead(index);
    await act();
    return (await entriesRead(index)) - before;
  };

  /** Whether the server analyses by itself meanwhile would be chance. */
  const analyse = async (table: string) => {
    await server.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    await server.query(`VACUUM ANALYZE ${table}`);
  };

  const register = async (key: string, path: string): Promise<string> => {
    const body = { url: `https://127.0.0.1/${path}`, events: ['wallet.debit'] };
    return (await server.rest('POST', '/api/v1/webhooks', { key, body })).body.data.id;
  };

  const writeDeliveries = (webhookId: string, status: string, count: number) =>
    server.query(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
       SELECT $1, $2 || n, 'wallet.debit', $2, now(), now() FROM generate_series(1, $3::integer) n`,
      [webhookId, status, count],
    );

  /** Nothing waits, and nothing was missed. */
  const beginWith = async (webhookId: string) => {
    await server.query('TRUNCATE webhook_deliveries');
    await writeDeliveries(webhookId, 'delivered', usual);
    await analyse('webhook_deliveries');
  };

  it('is gone through once when deliveries are replayed', async () => {
    const { live: key } = await server.createTeam();
    const id = await register(key, 'replayed');
    await beginWith(id);
    await writeDeliveries(id, 'skipped', unforeseen);
    const replay = `mutation { replayWebhookDeliveries(webhookId: "${id}", since: "2000-01-01T00:00:00Z") { replayed } }`;
    const read = await readBy('webhook_deliveries_missed', async () => {
      const { body } = await server.graphql(replay, null, key);
      expect(body.data.replayWebhookDeliveries).toEqual({ replayed: unforeseen });
    });
    expect(read).toBeLessThan(2 * unforeseen);
  });

  it('is not gone through for what others have waiting, when deliveries are skipped', async () => {
    const { live: key } = await server.createTeam();
    const [off, removed] = [await register(key, 'off'), await register(key, 'removed')];
    const busy = await register(key, 'busy');
    await beginWith(busy);
    await writeDeliveries(busy, 'pending', 10 * unforeseen);
    for (const id of [off, removed]) await writeDeliveries(id, 'pending', unforeseen);
    const waiting = () =>
      server.query(
        `SELECT webhook_id AS id, count(*)::integer AS count FROM webhook_deliveries WHERE status = 'pending' GROUP BY 1`,
      );
    const path = (id: string) => `/api/v1/webhooks/${id}`;
    // Entries of rows that were skipped are met until the index is cleaned.
    for (const act of [
      () => server.rest('PUT', path(off), { key, body: { active: false } }),
      () => server.rest('DELETE', path(removed), { key }),
      () => skipInactive(server.running.gateway.platform),
    ])
      expect(await readBy('webhook_deliveries_waiting', act)).toBeLessThan(5 * unforeseen);
    expect(await waiting()).toEqual([{ id: busy, count: 10 * unforeseen }]);
  });

  it('is gone through once when orders are taken, and not for each that is settled', async () => {
    const { platform } = server.running.gateway;
    const { teamId } = await server.createTeam();
    const write = (prefix: string, task: string | null, count: number) =>
      server.query(
        `INSERT INTO bookings (id, wallet_id, team_id, mode, booking_reference, type, status, amount_cents, offer_id,
                               supplier, supplier_reference, passengers, sealed_travellers, slices, terms, departs_at,
                               payment_required_by, created_at, updated_at, ended_at, order_task, order_due_at)
         SELECT 'ord_' || $2 || lpad(n::text, 25, '0'), id, team_id, mode, $2 || n, 'hold', 'expired', 9000, 'off_' || n,
                'simulated', n::text, '[]', $3, '[]', '{}', t, t, t, t, t, $4, CASE WHEN $4 <> '' THEN t END
           FROM wallets, generate_series(1, $5::integer) n, LATERAL (SELECT now() - interval '1 hour' AS t) t
          WHERE team_id = $1 AND mode = 'live'`,
        [teamId, prefix, platform.vault.seal('[]'), task, count],
      );
    await write('0', null, usual);
    await analyse('bookings');
    await write('1', 'cancel', unforeseen);
    const read = await readBy('bookings_to_order', async () => {
      const tasks = await claimTasks(new Map([['simulated', unforeseen]]), 60_000, platform);
      expect(tasks).toHaveLength(unforeseen);
      const unsettled = { isAnswered: true, carrierReference: null };
      for (const [index, task] of tasks.entries()) {
        const settled =
          index % 2 === 0
            ? await finishTask(task, null, platform)
            : await postponeTask(task, new Date('2999-01-01'), unsettled, platform);
        expect(settled).toBe(true);
      }
    });
    expect(read).toBeLessThan(10 * unforeseen);
    const left = await server.query<{ id: string }>('SELECT id FROM bookings WHERE order_task IS NOT NULL');
    expect(left).toHaveLength(unforeseen / 2);
    const dropped = await readBy('bookings_to_order', async () => {
      for (const { id } of left) {
        const drop = `mutation { dropCancellation(bookingId: "${id}") { task } }`;
        const { body } = await server.graphql(drop, null, server.keys.operator);
        expect(body.data).toEqual({ dropCancellation: { task: null } });
      }
    });
    expect(dropped).toBeLessThan(unforeseen);
  });

  it('is gone through once when recharges expire', async () => {
    const { platform } = server.running.gateway;
    const { teamId } = await server.createTeam();
    const write = (prefix: string, status: string, count: number) =>
      server.query(
        `INSERT INTO recharges (id, wallet_id, team_id, mode, amount_cents, payment_method, status, provider, charge,
                                created_at, expires_at, ended_at)
         SELECT 'rch_' || $2 || lpad(n::text, 25, '0'), id, team_id, mode, 10000, 'pix', $3, 'simulated',
                '{"pix_code": "000201"}', t, t, CASE WHEN $3 <> 'pending' THEN t END
           FROM wallets, generate_series(1, $4::integer) n, LATERAL (SELECT now() - interval '1 day' AS t) t
          WHERE team_id = $1 AND mode = 'live'`,
        [teamId, prefix, status, count],
      );
    await write('0', 'failed', usual);
    await analyse('recharges');
    await write('1', 'pending', unforeseen);
    await server.query(
      `INSERT INTO recharge_days (wallet_id, day, requested_cents)
       SELECT wallet_id, (created_at AT TIME ZONE 'UTC')::date, sum(amount_cents) FROM recharges
        WHERE status = 'pending' GROUP BY 1, 2`,
    );
    const read = await readBy('recharges_to_expire', async () => {
      expect(await expireOverdueRecharges(platform)).toBe(unforeseen);
    });
    expect(read).toBeLessThan(10 * unforeseen);
  });
});
