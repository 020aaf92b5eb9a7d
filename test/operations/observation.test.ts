import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeEngines('what operators see', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  it('answers liveness and readiness, naming what it depends on', async () => {
    expect((await server.rest('GET', '/health/live')).body).toEqual({ status: 'live' });
    const ready = await server.rest('GET', '/health/ready');
    expect(ready.status).toBe(200);
    const redis = engine.name === 'embedded' ? {} : { redis: 'ok' };
    expect(ready.body).toEqual({ status: 'ready', checks: { database: 'ok', migrations: 'ok', ...redis } });
  });

  it('is not ready while a migration is missing', async () => {
    const [last] = await server.query<{ name: string }>(
      'SELECT name FROM migrations ORDER BY name DESC LIMIT 1',
    );
    await server.query('DELETE FROM migrations WHERE name = $1', [last?.name]);
    const ready = await server.rest('GET', '/health/ready');
    expect(ready.status).toBe(503);
    expect(ready.body.checks.migrations).toBe('unavailable');
    await server.query('INSERT INTO migrations (name) VALUES ($1)', [last?.name]);
    expect((await server.rest('GET', '/health/ready')).status).toBe(200);
  });

  it('counts requests by route, never by id, in the Prometheus format', async () => {
    const id = 'rch_01jd4ymq2ve5j8v2r0h3m6x9qb';
    await server.rest('GET', `/api/v1/wallet/recharge/${id}`, { key: server.keys.live });
    const metrics = await eventually(async () => {
      const { text } = await server.rest('GET', '/metrics');
      return text.includes('route="/wallet/recharge/:id",status="404"') && text;
    });
    expect(metrics).toContain('# TYPE embarque_http_request_duration_seconds histogram');
    expect(metrics).not.toContain(id);
  });

  it('logs a line for each request under the id that the response carries', async () => {
    const answer = await server.rest('GET', '/api/v1/wallet/balance', { key: server.keys.live });
    const requestId = answer.headers.get('x-request-id');
    const line = await eventually(() =>
      server.logLines.map((text) => JSON.parse(text)).find((entry) => entry.requestId === requestId),
    );
    expect(line).toMatchObject({ msg: 'request', route: '/wallet/balance', status: 200, method: 'GET' });
    const given = await server.rest('GET', '/api/v1/wallet/balance', {
      key: server.keys.live,
      headers: { 'x-request-id': 'given-by-the-client-1' },
    });
    expect(given.headers.get('x-request-id')).toBe('given-by-the-client-1');
  });

  it('never logs a key or a secret', async () => {
    const { live } = await server.createTeam();
    const { secret } = await server.createKey({ kind: 'operator', name: 'second operator' });
    await server.rest('GET', `/api/v1/nope/${live}?key=${live}`, { key: live });
    await server.rest('POST', '/api/v1/wallet/recharge', { key: live, body: { amount: live } });
    await server.graphql(`{ nope(key: "${secret}") }`, null, secret);
    await eventually(() => server.logLines.some((line) => line.includes('/api/v1/nope')));
    const log = server.logLines.join('');
    for (const key of [live, secret, ...Object.values(server.keys)]) expect(log).not.toContain(key);
  });
});
