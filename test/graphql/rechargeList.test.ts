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
});
