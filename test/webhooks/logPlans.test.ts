import { expect, it, onTestFinished } from 'vitest';
import { describeEngines } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';

const rarePage = `query ($webhookId: String!, $status: [WebhookDeliveryStatus!]) {
  webhookDeliveries(webhookId: $webhookId, status: $status, eventType: ["booking.created"]) { items { id } next }
}`;

describeEngines('The log of a webhook that has many more deliveries than others', (engine) => {
  it('is passed over in its index, and never read and sorted to its beginning', async () => {
    // One session: what the server has prepared there can be explained there.
    const server = await startTestServer(engine, {
      settings: {
        ROLES: 'api',
        DATABASE_POOL_SIZE: '1',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
        WEBHOOK_REACHABILITY_CHECK: 'false',
      },
    });
    onTestFinished(() => server.close());
    const key = server.keys.live;
    const { body: created } = await server.rest('POST', '/api/v1/webhooks', {
      key,
      body: { url: 'https://127.0.0.1/log', events: ['wallet.debit'] },
    });
    const webhookId: string = created.data.id;
    // A plan for any webhook expects as many of each as an average one has.
    await server.query(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at, attempts_made)
       SELECT CASE WHEN n % 4 = 0 THEN 'wh_' || n % 1000 ELSE $1 END, 'evt_' || lpad(n::text, 26, '0'), 'wallet.debit',
              CASE WHEN n % 8 < 4 THEN 'delivered' ELSE 'failed' END, t, t, 1
         FROM generate_series(1, 28000) n, LATERAL (SELECT now() - n * interval '1 minute' AS t) t`,
      [webhookId],
    );
    await server.query('ANALYZE webhook_deliveries');
    // The first executions of a statement are planned for their values, the later ones for any.
    await server.query('SET plan_cache_mode = force_generic_plan');
    for (const [status, statement, index] of [
      [null, 'end_of_webhook_deliveries', 'webhook_deliveries_log'],
      [['failed'], 'end_of_missed_webhook_deliveries', 'webhook_deliveries_missed'],
    ] as const) {
      const { body } = await server.graphql(rarePage, { webhookId, status }, key);
      expect(body.data.webhookDeliveries).toEqual({ items: [], next: expect.any(String) });
      const plan = await server.query(
        `EXPLAIN EXECUTE ${statement}('${webhookId}', '-infinity', 'infinity', 0, 9999)`,
      );
      expect(JSON.stringify(plan)).toContain(`Index Only Scan using ${index}`);
    }
  });
});
