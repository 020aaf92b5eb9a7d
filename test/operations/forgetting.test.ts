import { afterAll, beforeAll, expect, it } from 'vitest';
import { pixOf } from '../doors/door.ts';
import { oneWay } from '../flights/searches.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { dayMs, TestClock } from '../harness/testClock.ts';

describeEngines('A worker', (engine) => {
  const clock = new TestClock();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { clock });
  });
  afterAll(() => server.close());

  const count = async (table: string) => {
    const [row] = await server.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${table}`);
    return Number(row?.rows);
  };

  it('forgets the searches and Idempotency-Keys whose time is over, and nothing else', async () => {
    const key = server.keys.test;
    await server.rest('POST', '/api/v1/flights/search', { key, body: oneWay('GRU-LIS') });
    await server.rest('POST', '/api/v1/wallet/recharge', {
      key,
      body: pixOf('100.00'),
      headers: { 'idempotency-key': 'old' },
    });
    expect([await count('flight_searches'), await count('idempotency_keys')]).toEqual([1, 1]);
    // Keys go by the database's clock as well.
    await server.query(`UPDATE idempotency_keys SET created_at = created_at - interval '2 days'`);
    clock.advance(2 * dayMs);
    await server.restart();
    await eventually(async () => (await count('flight_searches')) + (await count('idempotency_keys')) === 0);
    expect(await count('recharges')).toBe(1);
  });
});
