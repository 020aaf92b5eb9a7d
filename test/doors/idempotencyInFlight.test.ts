import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { dataOf, expectRefusal, pixOf } from './door.ts';
import { graphqlDoor } from './graphqlDoor.ts';
import { restDoor } from './restDoor.ts';

/** Only a server has other sessions that can be slow; the embedded store has one. */
const engine = realEngine();

describe.skipIf(!engine)('an Idempotency-Key whose first request is still at work after ten seconds', () => {
  let server: TestServer;
  let other: pg.Client;
  beforeAll(async () => {
    if (!engine) return;
    server = await startTestServer(engine);
    other = await server.openSession();
  });
  afterAll(() => server?.close());

  it('is answered 409 at both doors, creates nothing, and may be sent again', async () => {
    // A team for each door: of one team, the second request would wait for the first one's wallet as well.
    const attempts = await Promise.all(
      [restDoor(() => server), graphqlDoor(() => server)].map(async (door) => ({
        door,
        ...(await server.createTeam()),
      })),
    );
    await other.query('BEGIN');
    for (const { door, teamId } of attempts) {
      await other.query(
        `INSERT INTO idempotency_keys (scope, key, fingerprint, outcome, created_at)
         VALUES ($1, $2, 'another process', '{}', now())`,
        [`${teamId}/live`, door.name],
      );
    }
    const refused = await Promise.all(
      attempts.map(({ door, live }) =>
        door.createRecharge(live, pixOf('100.00'), { idempotencyKey: door.name }),
      ),
    );
    for (const outcome of refused) {
      expectRefusal(outcome, {
        status: 409,
        code: 'VALIDATION_ERROR',
        message: 'A request with this Idempotency-Key is still in progress',
      });
      expect(outcome.replayed).toBe(false);
    }
    expect(await server.query('SELECT 1 FROM recharges')).toEqual([]);
    await other.query('ROLLBACK');
    for (const { door, live } of attempts) {
      dataOf(await door.createRecharge(live, pixOf('100.00'), { idempotencyKey: door.name }));
    }
  });
});
