import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { baseShare, slots } from '../../src/domain/webhooks/shares.ts';
import type { SignalChannels } from '../../src/infrastructure/pubsub/signals.ts';
import type { Bucket } from '../../src/infrastructure/rateLimits/rateLimiter.ts';
import { attemptReasons } from '../../src/infrastructure/webhooks/outcome.ts';
import { requestRecharge } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { Operator } from '../harness/operator.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer, sweepingOften } from '../harness/server.ts';
import { transports, walletEvents } from '../harness/subscribers.ts';

const sampleLine =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^{}]*\})? (Na[Nn]|[+-]?Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** A new one does not compile before it is here, and then README has to have it. */
const channels = { events: true, access: true, webhooks: true, orders: true } satisfies Record<
  keyof SignalChannels,
  true
>;
const buckets = { search: true, bookings: true, default: true, unauthenticated: true } satisfies Record<
  Bucket,
  true
>;

describeEngines('What operators see', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: sweepingOften });
  });
  afterAll(() => server.close());

  /** The samples by name and labels; throws for a line that is none. */
  async function samples(): Promise<Map<string, number>> {
    const { text, headers } = await server.rest('GET', '/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const found = new Map<string, number>();
    for (const line of text.split('\n')) {
      if (line === '' || line.startsWith('# HELP ') || line.startsWith('# TYPE ')) continue;
      const match = sampleLine.exec(line);
      if (!match) throw new Error(`no sample: ${line}`);
      found.set(`${match[1]}${match[2] ?? ''}`, Number(match[3]));
    }
    return found;
  }

  const lineOf = (requestId: string | null) =>
    eventually(() =>
      server.logLines.map((text) => JSON.parse(text)).find((entry) => entry.requestId === requestId),
    );

  it('metrics count every request by its route, whatever its path was', async () => {
    const { test: key } = await server.createTeam();
    const before = await samples();
    const id = await requestRecharge(server, key);
    const requests = [
      ['GET', '/api/v1/wallet/balance'],
      ['GET', `/api/v1/wallet/recharge/${id}`],
      ['GET', '/api/v1/wallet/recharge/rch_unknown'],
      ['POST', `/api/v1/test_helpers/recharges/${id}/pay`],
      ['GET', `/pix/${id}.png`],
      ['GET', `/boletos/${id}`],
      ['GET', `/nowhere/${id}`],
      ['GET', `/api/v1/nowhere/${id}`],
      ['GET', '/%E0%A4%A'],
      ['PATCH', `/api/v1/wallet/recharge/${id}`],
      ['GET', `/graphql?query=${id}`],
      ['GET', `/docs/${id}`],
    ] as const;
    for (const [method, path] of requests) await server.rest(method, path, { key });
    const requestsOf = (found: Map<string, number>) =>
      [...found]
        .filter(([name]) => name.startsWith('embarque_http_request_duration_seconds_count'))
        .reduce((sum, [, count]) => sum + count, 0);
    const counted = await eventually(async () => {
      const now = await samples();
      return requestsOf(now) - requestsOf(before) > requests.length && now;
    });
    const more = (name: string) => (counted.get(name) ?? 0) - (before.get(name) ?? 0);
    expect([...counted.keys()].filter((name) => name.includes(id) || name.includes('rch_'))).toEqual([]);
    const series =
      'embarque_http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/wallet/recharge/:id"';
    expect(more(`${series},status="200"}`)).toBe(1);
    expect(more(`${series},status="404"}`)).toBe(1);
    expect(more('embarque_operations_total{operation="createRecharge",outcome="admitted"}')).toBe(1);
    expect(counted.has('embarque_nodejs_heap_size_used_bytes')).toBe(true);
  });

  it('operations are counted once at either door, also those whose caller was refused', async () => {
    const { teamId } = await server.createTeam();
    const { secret: key } = await server.createKey({ teamId, kind: 'live', scopes: ['wallet:read'] });
    const operation = (name: string, outcome: string, now: Map<string, number>) =>
      now.get(`embarque_operations_total{operation="${name}",outcome="${outcome}"}`) ?? 0;
    const before = await samples();
    await server.rest('GET', '/api/v1/wallet/balance', { key });
    await server.graphql('{ walletBalance { balance } }', null, key);
    const search = {
      type: 'one_way',
      slices: [{ origin: 'GRU', destination: 'GIG', departureDate: '2035-01-15' }],
      passengers: [{ type: 'adult', count: 1 }],
    };
    await server.rest('POST', '/api/v1/flights/search', { key, body: search });
    const document = 'query ($search: FlightSearchInput!) { flightSearch(search: $search) { id } }';
    await server.graphql(document, { search }, key);
    const after = await samples();
    const more = (name: string, outcome: string) =>
      operation(name, outcome, after) - operation(name, outcome, before);
    expect([more('walletBalance', 'admitted'), more('walletBalance', 'refused')]).toEqual([2, 0]);
    expect([more('flightSearch', 'admitted'), more('flightSearch', 'refused')]).toEqual([0, 2]);
  });

  it('what has been waiting for too long is counted by workers', async () => {
    const backlog = (kind: string) => async () => (await samples()).get(`embarque_backlog{kind="${kind}"}`);
    await eventually(async () => (await backlog('payments')()) === 0);
    await server.query(
      `INSERT INTO payment_notices (id, provider, provider_reference, outcome, paid_at, received_at, reason)
       VALUES ('pay_1', 'bank', 'E1', 'paid', now(), now(), 'unknown_recharge')`,
    );
    await eventually(async () => (await backlog('payments')()) === 1);
    await server.query("UPDATE payment_notices SET settled_at = now(), settlement = 'dismissed'");
    await eventually(async () => (await backlog('payments')()) === 0);
    await server.query('DELETE FROM payment_notices');
  });

  it('every metric is explained in README, and README names no other', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const explained = new Set(readme.match(/\bembarque_\w+/g));
    const { text } = await server.rest('GET', '/metrics');
    const exported = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name as string);
    expect(exported).toContain('embarque_http_request_duration_seconds');
    expect(exported.filter((name) => !explained.has(name))).toEqual([]);
    // What a process can say of itself depends on the machine.
    const ofProcess = /^embarque_(process|nodejs)_/;
    const gone = [...explained].filter((name) => !exported.includes(name) && !ofProcess.test(name));
    expect(gone).toEqual([]);
  });

  it('README has the reasons of attempts and the shares of webhooks as they are', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const [, section = ''] = readme.split('### Webhook deliveries\n');
    expect(attemptReasons.filter((reason) => !section.includes(`\`${reason}\``))).toEqual([]);
    expect(section).toContain(`at most ${slots} attempts at once, and of one webhook ${baseShare},`);
  });

  it('README has the channels that a user of Redis needs, and the limits by which operations are refused', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    for (const [row, names] of [
      ['| REDIS_URL |', channels],
      ['| `embarque_rate_limited_total` |', buckets],
    ] as const) {
      const line = readme.split('\n').find((text) => text.startsWith(row)) ?? '';
      expect([row, Object.keys(names).filter((name) => !line.includes(`\`${name}\``))]).toEqual([row, []]);
    }
  });

  it('metrics count the announcements of events, and no other signals', async () => {
    const { test: key, teamId: id } = await server.createTeam();
    const announced = async () => (await samples()).get('embarque_events_announced_total');
    const before = await announced();
    // The other processes hear of new settings, too, and that is no event.
    await new Operator(server).does('updateTeam', { id, input: { name: 'Outra Agência' } });
    await requestRecharge(server, key);
    expect(await announced()).toBe((before ?? 0) + 1);
  });

  it('metrics have the subscriptions that are open', async () => {
    const { test: key } = await server.createTeam();
    const open = async () => (await samples()).get('embarque_subscribers') ?? 0;
    const before = await open();
    const subscribers = transports.map(({ subscribe }) =>
      subscribe(server.url, { key, query: walletEvents }),
    );
    await eventually(async () => (await open()) === before + subscribers.length);
    for (const subscriber of subscribers) subscriber.cut();
    await eventually(async () => (await open()) === before);
  });

  it('metrics do not grow with the paths that clients make up', async () => {
    const visit = (path: string) => server.rest('GET', path);
    await visit('/made-up');
    await visit('/api/v1/made-up');
    const before = (await samples()).size;
    await Promise.all(Array.from({ length: 100 }, (_, index) => visit(`/made-up/${index}`)));
    await Promise.all(Array.from({ length: 100 }, (_, index) => visit(`/api/v1/made-up-${index}`)));
    expect((await samples()).size - before).toBeLessThan(30);
  });

  it('liveness and readiness are answered, naming what the server depends on', async () => {
    expect((await server.rest('GET', '/health/live')).body).toEqual({ status: 'live' });
    const ready = await server.rest('GET', '/health/ready');
    expect(ready.status).toBe(200);
    const redis = engine.name === 'embedded' ? {} : { redis: 'ok' };
    expect(ready.body).toEqual({ status: 'ready', checks: { database: 'ok', migrations: 'ok', ...redis } });
  });

  it('readiness is refused while a migration is missing', async () => {
    const [last] = await server.query<{ name: string }>(
      'SELECT name FROM migrations ORDER BY name DESC LIMIT 1',
    );
    await server.query('DELETE FROM migrations WHERE name = $1', [last?.name]);
    try {
      const ready = await server.rest('GET', '/health/ready');
      expect(ready.status).toBe(503);
      expect(ready.body.checks.migrations).toBe('unavailable');
    } finally {
      await server.query('INSERT INTO migrations (name) VALUES ($1)', [last?.name]);
    }
    expect((await server.rest('GET', '/health/ready')).status).toBe(200);
  });

  it('each request is logged under the id that the response carries', async () => {
    const startedMs = performance.now();
    const answer = await server.rest('GET', '/api/v1/wallet/balance', { key: server.keys.live });
    const requestId = answer.headers.get('x-request-id');
    const line = await lineOf(requestId);
    expect(line).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'embarque',
      requestId,
      method: 'GET',
      path: '/api/v1/wallet/balance',
      route: '/wallet/balance',
      status: 200,
      milliseconds: expect.any(Number),
      msg: 'request',
    });
    expect(line.milliseconds).toBeLessThan(performance.now() - startedMs);
    // To the microsecond: most take less than a millisecond or two.
    expect(line.milliseconds).toBeGreaterThan(0);
    expect(Number((line.milliseconds * 1_000).toFixed(6)) % 1).toBe(0);
  });

  it('of a request that its client has left the log says so, and of its path neither the query string nor all of a long one', async () => {
    const [left, long] = ['left-before-its-end', 'asks-for-a-long-path'];
    const controller = new AbortController();
    const query = encodeURIComponent('subscription { walletEvents { id } }');
    const stream = await fetch(`${server.url}/graphql?query=${query}`, {
      headers: {
        authorization: `Bearer ${server.keys.live}`,
        accept: 'text/event-stream',
        'x-request-id': left,
      },
      signal: controller.signal,
    });
    expect(stream.status).toBe(200);
    controller.abort();
    expect(await lineOf(left)).toMatchObject({ path: '/graphql', status: 200, aborted: true });
    await server.rest('GET', `/${'x'.repeat(300)}?y=z`, { headers: { 'x-request-id': long } });
    expect((await lineOf(long)).path).toBe(`/${'x'.repeat(199)}`);
  });

  it('probes, which come every few seconds for ever, are not in the log', async () => {
    const probes = ['/health/live', '/health/ready', '/metrics'];
    for (const [index, path] of probes.entries())
      await server.rest('GET', path, { headers: { 'x-request-id': `probe-number-${index}` } });
    await server.rest('GET', '/api/v1/wallet/balance', { headers: { 'x-request-id': 'behind-the-probes' } });
    await lineOf('behind-the-probes');
    expect(server.logLines.filter((text) => text.includes('probe-number-'))).toEqual([]);
  });

  it('connections without a request are kept for longer than the minute after which load balancers end theirs', async () => {
    const { headers } = await server.rest('GET', '/health/live');
    expect(Number(/^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(60);
  });
});
