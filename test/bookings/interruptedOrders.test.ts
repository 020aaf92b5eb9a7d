import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/client.ts';
import { embedded } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';

describe('The start of a store that belongs to one process', () => {
  it('lets what was being asked for be asked again, and does not go through all bookings for it', async () => {
    const server = await startTestServer(embedded);
    onTestFinished(() => server.close());
    await server.query(
      `INSERT INTO bookings (id, wallet_id, team_id, mode, booking_reference, type, status, amount_cents, offer_id,
                             supplier, supplier_reference, passengers, sealed_travellers, slices, terms, departs_at,
                             debit_id, created_at, updated_at, confirmed_at, order_task, order_due_at, order_token,
                             order_leased_until)
       SELECT 'ord_' || lpad(n::text, 26, '0'), id, team_id, mode, 'L' || n, 'instant', 'confirmed', 9000, 'off_' || n,
              'simulated', n::text, '[]', $1, '[]', '{}', now(), 'txn_' || n, now(), now(), now(),
              CASE WHEN n = 1 THEN 'issue' END, CASE WHEN n = 1 THEN now() + interval '1 day' END,
              CASE WHEN n = 1 THEN 'issue:dead' END, CASE WHEN n = 1 THEN now() + interval '1 day' END
         FROM wallets, generate_series(1, 2000) n WHERE mode = 'live'`,
      [server.running.gateway.platform.vault.seal('[]')],
    );
    await server.query('VACUUM ANALYZE bookings');
    await server.restart();
    await eventually(async () => {
      const [row] = await server.query<{ order_token: string | null }>(
        'SELECT order_token FROM bookings WHERE order_leased_until IS NOT NULL',
      );
      return row?.order_token === 'issue';
    });
    // The embedded store has one session, where the server has prepared it.
    const plan = await server.query('EXPLAIN EXECUTE abandon_order_tasks');
    expect(JSON.stringify(plan)).toContain('bookings_to_order');
  });
});
