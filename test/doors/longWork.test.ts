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

  /** A session that keeps a table from all others until it rolls back. */
  async function lock(table: string): Promise<pg.Client> {
    const session = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await session.connect();
    onTestFinished(() => session.end());
    await session.query('BEGIN');
    await session.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return session;
  }

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
      besides: listBookings,
    },
    {
      name: 'webhooks switched on again',
      table: 'webhook_deliveries',
      ask: graphql('mutation { updateWebhook(id: "$id", active: true) { id } }'),
      besides: listBookings,
    },
  ])('$name wait for each other, and nobody else for them', async ({ table, ask, isActive, besides }) => {
    const [team, other] = [await server.createTeam(), await server.createTeam()];
    const [id, theirs] = await Promise.all(
      [team, other].map(async ({ test: key }) => {
        const { body } = await server.rest('POST', '/api/v1/webhooks', {
          key,
          body: { url: 'https://example.com/', events: ['wallet.credit'] },
        });
        const webhook = body.data.id as string;
        await server.rest('PUT', `/api/v1/webhooks/${webhook}`, { key, body: { active: isActive ?? false } });
        return webhook;
      }),
    );
    const session = await lock(table);
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
    // What takes long in another way has turns of its own.
    if (besides) expect((await besides(team.test)).status).toBe(200);
    await session.query('ROLLBACK');
    await Promise.all(asking);
    expect((await elsewhere).status).toBe(200);
    expect(answers.slice(-atOnce).map((answer) => answer.status)).toEqual([200, 200]);
    expect((await ask(team.test, id!)).status).toBe(200);
  });

  it('has its turn to itself no longer than until it fails', async () => {
    const { test: key } = await server.createTeam();
    const session = await lock('bookings');
    let answered = 0;
    const asking = Array.from({ length: atOnce }, async () => {
      const answer = await listBookings(key);
      answered += 1;
      return answer;
    });
    // One may wait behind the other.
    await eventually(async () => {
      await session.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return answered === atOnce;
    });
    for (const { status } of await Promise.all(asking)) expect(status).toBe(500);
    await session.query('ROLLBACK');
    expect((await listBookings(key)).status).toBe(200);
  });
});
