import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { tableWaits } from '../harness/lockWaits.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { excerptCharacters, longLogOf } from './longLog.ts';

const limit = 20;
/** As many as a delivery shows. */
const attempts = 20;
const aliases = 29;

describeSeveralSessions('A mutation that has a long answer', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: {
        ROLES: 'api',
        RATE_LIMIT_DEFAULT: `${limit}`,
        RATE_LIMIT_WINDOW: '1h',
        WEBHOOK_REACHABILITY_CHECK: 'false',
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      },
    });
  });
  afterAll(() => server?.close());

  /** A delivery that was attempted so often that its log is longer than any query may be answered with. */
  async function longDelivery() {
    const { key, webhookId } = await longLogOf(server, 'live');
    const [delivery] = await server.query<{ id: string }>(
      'SELECT id FROM webhook_deliveries WHERE webhook_id = $1 LIMIT 1',
      [webhookId],
    );
    await server.query(
      `INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, reason, detail, response_excerpt)
       SELECT $1, n, now(), 5, 'ok', 'answered 200', repeat('x', ${excerptCharacters})
         FROM generate_series(11, ${attempts}) n`,
      [delivery!.id],
    );
    // Each is written as six.
    await server.query(
      `UPDATE webhook_attempts SET response_excerpt = repeat(E'\\x01', ${excerptCharacters}) WHERE delivery_id = $1`,
      [delivery!.id],
    );
    const excerpts = Array.from({ length: aliases }, (_, index) => `a${index}: responseExcerpt`).join(' ');
    const [{ id } = { id: '' }] = await idsOf(key, webhookId);
    return { key, again: `mutation { redeliverWebhookDelivery(id: "${id}") { attempts { ${excerpts} } } }` };
  }

  const idsOf = async (key: string, webhookId: string): Promise<Json[]> => {
    const query = `{ webhookDeliveries(webhookId: "${webhookId}", limit: 100) { items { id attempts { number } } } }`;
    const { items } = (await server.graphql(query, null, key)).body.data.webhookDeliveries;
    return items.filter((delivery: Json) => delivery.attempts.length === attempts);
  };

  const balance = '{ walletBalance { balance } }';

  it('is told all of it, also where it is longer than what a query is answered with, and others of its key have used up the limit meanwhile', async () => {
    const { key, again } = await longDelivery();
    const session = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await session.connect();
    onTestFinished(() => session.end());
    await session.query('BEGIN');
    await session.query('LOCK TABLE webhook_deliveries IN SHARE ROW EXCLUSIVE MODE');
    const telling = server.graphql(again, null, key);
    await eventually(async () => (await tableWaits(session, 'webhook_deliveries')).length > 0);
    // At once: the mutation does not wait for the table for ever.
    const others = await Promise.all(Array.from({ length: limit }, () => server.graphql(balance, null, key)));
    expect(others.some(({ headers }) => headers.get('retry-after') !== null)).toBe(true);
    await session.query('ROLLBACK');
    const { body } = await telling;
    expect(body.errors).toBeUndefined();
    const told: Json[] = body.data.redeliverWebhookDelivery.attempts;
    expect(told).toHaveLength(attempts);
    for (const attempt of told) expect(attempt[`a${aliases - 1}`]).toHaveLength(excerptCharacters);
  });
});
