import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** What a team asks for at once: more than there are connections. */
const asked = 30;

/** Of one team, as README has it. */
const readAtOnce = 2;

const overloaded = { code: 'INTERNAL_ERROR', message: 'Service overloaded', details: { type: 'overloaded' } };

interface Answer {
  status: number;
  retryAfter: string | null;
  error: Json;
}

describeSeveralSessions('While the pages of long lists that a team asks for take long', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api', DATABASE_POOL_TIMEOUT: '2s' } });
  });
  afterAll(() => server?.close());

  const ofRest = async (key: string): Promise<Answer> => {
    const { status, headers, body } = await server.rest('GET', '/api/v1/bookings', { key });
    return { status, retryAfter: headers.get('retry-after'), error: body.error };
  };
  const ofGraphql = async (key: string): Promise<Answer> => {
    const { status, headers, body } = await server.graphql('{ recharges { items { id } } }', null, key);
    const [error] = body.errors ?? [];
    return {
      status: error ? 500 : status,
      retryAfter: headers.get('retry-after'),
      error: error && { message: error.message, ...error.extensions },
    };
  };

  it.each([
    { list: 'bookings', ask: ofRest },
    { list: 'recharges', ask: ofGraphql },
  ])('$list wait for each other, and nobody else for them', async ({ list, ask }) => {
    const [team, other] = [await server.createTeam(), await server.createTeam()];
    const session = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await session.connect();
    onTestFinished(() => session.end());
    await session.query('BEGIN');
    await session.query(`LOCK TABLE ${list} IN ACCESS EXCLUSIVE MODE`);
    const answers: Answer[] = [];
    const asking = Array.from({ length: asked }, async () => void answers.push(await ask(team.test)));
    await eventually(() => answers.length === asked - readAtOnce);
    for (const { status, retryAfter, error } of answers) {
      expect([status, retryAfter]).toEqual([500, '1']);
      expect(error).toMatchObject(overloaded);
    }
    const { status } = await server.rest('GET', '/api/v1/wallet/balance', { key: other.test });
    expect(status).toBe(200);
    await session.query('ROLLBACK');
    await Promise.all(asking);
    expect(answers.slice(-readAtOnce).map((answer) => answer.status)).toEqual([200, 200]);
    expect((await ask(team.test)).status).toBe(200);
  });
});
