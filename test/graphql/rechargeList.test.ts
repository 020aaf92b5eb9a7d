import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { pixOf } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';

const fields = 'id amount status paymentMethod paidAt transactionId createdAt payment { __typename }';
const oneDocument = `query ($id: String!) { recharge(id: $id) { ${fields} } }`;
const listDocument = `query ($page: PageNumber, $limit: PageSize, $status: RechargeStatus) {
  recharges(page: $page, limit: $limit, status: $status) { items { ${fields} } pagination { page limit total pages } }
}`;

describeEngines('the list of recharges', (engine) => {
  const clock = new TestClock();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { clock });
  });
  afterAll(() => server?.close());
  beforeEach(() => clock.reset());

  const create = async (key: string): Promise<string> => {
    const { body } = await server.rest('POST', '/api/v1/wallet/recharge', { key, body: pixOf('100.00') });
    return body.data.id;
  };
  const end = (key: string, id: string, how: 'pay' | 'expire' | 'fail') =>
    server.rest('POST', `/api/v1/test_helpers/recharges/${id}/${how}`, { key });
  const list = async (key: string, asked: Json = {}): Promise<Json> =>
    (await server.graphql(listDocument, asked, key)).body.data.recharges;
  const idsOf = ({ items }: Json) => items.map(({ id }: Json) => id);

  it('shows each as it is by itself, newest first, also those of one instant', async () => {
    const { test: key } = await server.createTeam();
    const made = [await create(key), await create(key)];
    clock.advance(1);
    made.push(await create(key));
    await end(key, made[0]!, 'pay');
    const whole = await list(key);
    expect(idsOf(whole)).toEqual(made.toReversed());
    for (const item of whole.items)
      expect(item).toEqual((await server.graphql(oneDocument, { id: item.id }, key)).body.data.recharge);
  });

  it('has those of a state when it is asked for them, and pages them', async () => {
    const { test: key } = await server.createTeam();
    const pending: string[] = [];
    for (const how of ['pay', null, 'expire', null, 'fail', null] as const) {
      clock.advance(1);
      const id = await create(key);
      if (how === null) pending.unshift(id);
      else await end(key, id, how);
    }
    expect((await list(key)).pagination).toEqual({ page: 1, limit: 20, total: 6, pages: 1 });
    for (const status of ['completed', 'expired', 'failed']) {
      const { items, pagination } = await list(key, { status });
      expect(items.map((item: Json) => item.status)).toEqual([status]);
      expect(pagination.total).toBe(1);
    }
    for (const [page, ids] of [
      [1, pending.slice(0, 2)],
      [2, pending.slice(2)],
      [3, []],
    ] as const) {
      const found = await list(key, { status: 'pending', page, limit: 2 });
      expect(idsOf(found)).toEqual(ids);
      expect(found.pagination).toEqual({ page, limit: 2, total: 3, pages: 2 });
    }
    expect(await list(key, { status: 'cancelled' })).toEqual({
      items: [],
      pagination: { page: 1, limit: 20, total: 0, pages: 0 },
    });
  });

  it('counts what there is after every change, also after one that no event tells of', async () => {
    const { test: key } = await server.createTeam();
    const totals = () =>
      Promise.all(
        [undefined, 'pending', 'completed', 'expired', 'failed', 'cancelled'].map(
          async (status) => (await list(key, { status })).pagination.total,
        ),
      );
    expect(await totals()).toEqual([0, 0, 0, 0, 0, 0]);
    const made = [await create(key), await create(key), await create(key), await create(key)];
    expect(await totals()).toEqual([4, 4, 0, 0, 0, 0]);
    await end(key, made[0]!, 'fail');
    expect(await totals()).toEqual([4, 3, 0, 0, 1, 0]);
    await server.graphql('mutation ($id: String!) { cancelRecharge(id: $id) { id } }', { id: made[1] }, key);
    expect(await totals()).toEqual([4, 2, 0, 0, 1, 1]);
    await end(key, made[2]!, 'pay');
    expect(await totals()).toEqual([4, 1, 1, 0, 1, 1]);
    await end(key, made[3]!, 'expire');
    expect(await totals()).toEqual([4, 0, 1, 1, 1, 1]);
  });
});

describeEngines('the list of recharges of a team that has many', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    // One session: what the server has prepared there can be explained there.
    server = await startTestServer(engine, { settings: { ROLES: 'api', DATABASE_POOL_SIZE: '1' } });
  });
  afterAll(() => server?.close());

  it('passes over them in an index, and reads none in another state than asked for', async () => {
    const { live: key, teamId } = await server.createTeam();
    await server.query(
      `INSERT INTO recharges (id, wallet_id, team_id, mode, amount_cents, payment_method, status, provider, charge,
                              created_at, expires_at, paid_at, transaction_id)
       SELECT 'rch_' || lpad(n::text, 26, '0'), id, team_id, mode, 10000, 'pix', status, 'simulated', '{}',
              now() - n * interval '1 minute', now(), CASE status WHEN 'completed' THEN now() END,
              CASE status WHEN 'completed' THEN 'txn_' || n END
         FROM wallets, generate_series(1, 20000) n,
              LATERAL (SELECT (ARRAY['completed', 'completed', 'expired', 'cancelled'])[n % 4 + 1]) s (status)
        WHERE team_id = $1 AND mode = 'live'`,
      [teamId],
    );
    await server.query('VACUUM ANALYZE recharges');
    const [wallet] = await server.query<{ id: number }>(
      `SELECT id FROM wallets WHERE team_id = $1 AND mode = 'live'`,
      [teamId],
    );
    const total = async (status?: string) => {
      const { body } = await server.graphql(listDocument, { status, page: 40, limit: 100 }, key);
      return body.data.recharges.pagination.total;
    };
    expect([await total(), await total('expired'), await total('failed')]).toEqual([20_000, 5_000, 0]);
    // The first executions of a statement are planned for their values, the later ones for any.
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await server.query(`SET plan_cache_mode = ${mode}`);
      const explain = async (execution: string) =>
        JSON.stringify(await server.query(`EXPLAIN EXECUTE ${execution}`));
      for (const status of ['expired', 'failed']) {
        const ofStatus = 'Index Only Scan using recharges_by_status';
        expect(await explain(`read_recharges_of_status(${wallet?.id}, 100, 3900, '${status}')`)).toContain(
          ofStatus,
        );
        expect(await explain(`count_recharges_of_status(${wallet?.id}, '${status}', NULL)`)).toContain(
          ofStatus,
        );
      }
      const ofAll = 'Index Only Scan using recharges_by_wallet';
      expect(await explain(`read_recharges(${wallet?.id}, 100, 3900, NULL)`)).toContain(ofAll);
    }
  });
});
