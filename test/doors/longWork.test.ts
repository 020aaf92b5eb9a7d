import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** What a team asks for at once: more than there are connections. */
const asked = 30;

/** Of one kind, for one team, as README has it. */
const atOnce = 2;

const overloaded = { code: 'INTERNAL_ERROR', message: 'Service overloaded', details: { type: 'overloaded' } };

interface Answer {
  status: number;
  retryAfter: string | null;
  error: Json;
}

describeSeveralSessions('While what a team asks of the database takes long', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    const settings = { ROLES: 'api', DATABASE_POOL_TIMEOUT: '2s', WEBHOOK_REACHABILITY_CHECK: 'false' };
    server = await startTestServer(engine, { settings });
  });
  afterAll(() => server?.close());

  const listBookings = async (key: string): Promise<Answer> => {
    const { status, headers, body } = await server.rest('GET', '/api/v1/bookings', { key });
    return { status, retryAfter: headers.get('retry-after'), error: body.error };
  };
  const graphql = (query: string) => async (key: string, id: string) => {
    const { status, headers, body } = await server.graphql(query.replace('$id', id), null, key);
    const [error] = body.errors ?? [];
    return {
      status: error ? 500 : status,
      retryAfter: headers.get('retry-after'),
      error: error && { message: error.message, ...error.extensions },
    };
  };

  it.each([
    { name: 'pages of bookings', table: 'bookings', ask: listBookings },
    { name: 'pages of recharges', table: 'recharges', ask: graphql('{ recharges { items { id } } }') },
    {
      name: 'pages of some deliveries',
      table: 'webhook_deliveries',
      ask: graphql('{ webhookDeliveries(webhookId: "$id", status: [failed]) { items { id } } }'),
    },
    {
      name: 'replays of deliveries',
      table: 'webhook_deliveries',
      ask: graphql(
        'mutation { replayWebhookDeliveries(webhookId: "$id", since: "2026-01-01T00:00:00Z") { replayed } }',
      ),
      isActive: true,
    },
    {
      name: 'webhooks switched on again',
      table: 'webhook_deliveries',
      ask: graphql('mutation { updateWebhook(id: "$id", active: true) { id } }'),
    },
  ])('$name wait for each other, and nobody else for them', async ({ table, ask, isActive = false }) => {
    const [team, other] = [await server.createTeam(), await server.createTeam()];
    const [id, theirs] = await Promise.all(
      [team, other].map(async ({ test: key }) => {
        const { body } = await server.rest('POST', '/api/v1/webhooks', {
          key,
          body: { url: 'https://example.com/', events: ['wallet.credit'] },
        });
        const webhook = body.data.id as string;
        await server.rest('PUT', `/api/v1/webhooks/${webhook}`, { key, body: { active: isActive } });
        return webhook;
      }),
    );
    const session = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await session.connect();
    onTestFinished(() => session.end());
    await session.query('BEGIN');
    await session.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const answers: Answer[] = [];
    const asking = Array.from({ length: asked }, async () => void answers.push(await ask(team.test, id!)));
    const elsewhere = ask(other.test, theirs!);
    await eventually(() => answers.length === asked - atOnce);
    for (const { status, retryAfter, error } of answers) {
      expect([status, retryAfter]).toEqual([500, '1']);
      expect(error).toMatchObject(overloaded);
    }
    const { status } = await server.rest('GET', '/api/v1/wallet/balance', { key: other.test });
    expect(status).toBe(200);
    await session.query('ROLLBACK');
    await Promise.all(asking);
    expect((await elsewhere).status).toBe(200);
    expect(answers.slice(-atOnce).map((answer) => answer.status)).toEqual([200, 200]);
    expect((await ask(team.test, id!)).status).toBe(200);
  });
});
