import { randomUUID } from 'node:crypto';
import { isNonNullType } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gatewaySchema } from '../../schema/index.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeEngines('A refused mutation among others', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  it.each([
    ['when its document is new', 1],
    ['when its document is known', 2],
  ])('leaves the answers of the others %s', async (_case, times) => {
    const { test: key } = await server.createTeam();
    const document = `mutation M${randomUUID().replaceAll('-', '')} {
      first: createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id status }
      refused: createRecharge(amount: "99.99", currency: BRL, paymentMethod: pix) { id }
      last: createRecharge(amount: "200.00", currency: BRL, paymentMethod: pix) { id status }
    }`;
    let answer = await server.graphql(document, null, key);
    for (let sent = 1; sent < times; sent += 1) answer = await server.graphql(document, null, key);
    const made = { id: expect.stringMatching(/^rch_/), status: 'pending' };
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ first: made, refused: null, last: made });
    expect(answer.body.errors).toEqual([
      expect.objectContaining({
        message: 'Minimum amount is R$ 100.00',
        path: ['refused'],
        extensions: expect.objectContaining({ code: 'VALIDATION_ERROR' }),
      }),
    ]);
    const { recharges } = (
      await server.graphql('{ recharges { items { id } pagination { total } } }', null, key)
    ).body.data;
    expect(recharges.pagination.total).toBe(2 * times);
  });

  it('is null, and so may every other mutation be', () => {
    const mutations = Object.values(gatewaySchema().getMutationType()?.getFields() ?? {});
    expect(mutations.length).toBeGreaterThan(10);
    for (const { name, type } of mutations) expect(isNonNullType(type), name).toBe(false);
  });
});
