import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SharedConnections } from '../../src/infrastructure/database/sharedConnections.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeOneEngine } from '../harness/engines.ts';
import type { RawAnswer } from '../harness/rawRequest.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const origin = 'https://app.agencia.example';
const port = 'http://localhost:5173';
const understood = ['authorization', 'content-type', 'idempotency-key', 'x-request-id'];
const foreign = [
  'https://evil.example',
  'http://app.agencia.example',
  'https://app.agencia.example:8443',
  'https://app.agencia.example.evil.example',
  'https://evil-app.agencia.example',
  'null',
];

describeOneEngine('a browser', (engine) => {
  let server: TestServer;
  let team: TeamKeys;
  let other: TeamKeys;
  beforeAll(async () => {
    server = await startTestServer(engine);
    team = await server.createTeam({ corsDomains: [origin, port] });
    other = await server.createTeam({ corsDomains: ['https://elsewhere.example'] });
  });
  afterAll(() => server?.close());

  const preflight = (path: string, from: string, names = 'authorization,content-type,idempotency-key') =>
    rawRequest(server.url, {
      method: 'OPTIONS',
      path,
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': names,
      },
    });
  const balance = (key: string | null, from: string) =>
    rawRequest(server.url, {
      method: 'GET',
      path: '/api/v1/wallet/balance',
      headers: { origin: from, ...(key ? { authorization: `Bearer ${key}` } : {}) },
    });
  const allowed = ({ headers }: RawAnswer) => headers['access-control-allow-origin'];
  const listOf = (header: string | string[] | undefined) => String(header).toLowerCase().split(', ');

  describe('on a domain that a team authorized', () => {
    it.each(['/api/v1/wallet/recharge', '/api/v1/wallet/balance', '/graphql'])(
      'may ask before it sends to %s',
      async (path) => {
        for (const from of [origin, port]) {
          const answer = await preflight(path, from);
          expect([answer.status, answer.text, allowed(answer)]).toEqual([204, '', from]);
          expect(listOf(answer.headers['access-control-allow-methods'])).toEqual(
            expect.arrayContaining(['get', 'post', 'put', 'delete']),
          );
          expect(listOf(answer.headers['access-control-allow-headers'])).toEqual(understood);
          expect(listOf(answer.headers.vary)).toEqual(['origin', 'access-control-request-headers']);
          expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
        }
        const { text: metrics } = await server.rest('GET', '/metrics');
        expect(metrics).toContain('method="OPTIONS",route="preflight",status="204"');
      },
    );

    it('may send what GraphQL clients and tracing add of their own, and nothing that is no header', async () => {
      const asked = 'apollographql-client-name, authorization,traceparent, <script>';
      const { headers } = await preflight('/graphql', origin, asked);
      expect(listOf(headers['access-control-allow-headers'])).toEqual([
        ...understood,
        'apollographql-client-name',
        'traceparent',
      ]);
    });

    it('may read answers to the team’s keys, live and test, with the headers that matter', async () => {
      for (const key of [team.live, team.test]) {
        const answer = await balance(key, origin);
        expect([answer.status, allowed(answer)]).toEqual([200, origin]);
        expect(listOf(answer.headers.vary)).toContain('origin');
        expect(listOf(answer.headers['access-control-expose-headers'])).toEqual(
          expect.arrayContaining([
            'x-ratelimit-limit',
            'x-ratelimit-remaining',
            'x-ratelimit-reset',
            'retry-after',
            'idempotent-replayed',
            'x-request-id',
          ]),
        );
      }
    });

    it('may read refusals, of what exists and of what does not', async () => {
      const headers = { origin, authorization: `Bearer ${team.test}` };
      for (const [method, path, status] of [
        ['GET', '/api/v1/wallet/transactions?limit=0', 400],
        ['GET', '/api/v1/wallet/recharge/nothing', 404],
        ['GET', '/api/v1/nothing', 404],
        ['DELETE', '/api/v1/wallet/balance', 405],
        ['POST', '/api/v1/wallet/recharge', 400],
      ] as const) {
        const answer = await rawRequest(server.url, { method, path, headers });
        expect([answer.status, allowed(answer)], path).toEqual([status, origin]);
      }
    });

    it('may read what GraphQL answers', async () => {
      for (const query of ['{ walletBalance { balance } }', '{ nothing }']) {
        const answer = await rawRequest(server.url, {
          method: 'POST',
          path: '/graphql',
          headers: { origin, authorization: `Bearer ${team.live}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        });
        expect(allowed(answer)).toBe(origin);
      }
    });

    it('may read that it has no valid key, at every door', async () => {
      for (const [method, path, accept] of [
        ['GET', '/api/v1/wallet/balance', '*/*'],
        ['POST', '/graphql', 'application/json'],
        ['POST', '/graphql', 'text/event-stream'],
      ] as const) {
        for (const authorization of ['', 'Bearer sk_live_unknown_unknown']) {
          const headers = { origin, accept, authorization, 'content-type': 'application/json' };
          const answer = await rawRequest(server.url, { method, path, headers, body: '{}' });
          expect([answer.status, allowed(answer)], `${path} ${accept}`).toEqual([401, origin]);
          expect(listOf(answer.headers.vary)).toContain('origin');
        }
      }
    });

    it('may not read answers to the keys of a team that did not authorize it', async () => {
      const answer = await balance(other.live, origin);
      expect([answer.status, allowed(answer)]).toEqual([200, undefined]);
      expect(listOf(answer.headers.vary)).toContain('origin');
    });
  });

  it.each<[string, string, Record<string, string>]>([
    ['of another method', 'GET', { origin, 'access-control-request-method': 'POST' }],
    ['that names no origin', 'OPTIONS', { 'access-control-request-method': 'POST' }],
    ['that names no method', 'OPTIONS', { origin }],
  ])('has a request %s taken for what it is, which needs a key', async (_which, method, headers) => {
    const answer = await rawRequest(server.url, { method, path: '/api/v1/nothing', headers });
    expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  describe.each(foreign)('on %s', (from) => {
    it('is told nothing before it sends', async () => {
      for (const path of ['/api/v1/wallet/recharge', '/graphql']) {
        const answer = await preflight(path, from);
        expect([answer.status, allowed(answer)]).toEqual([204, undefined]);
        expect(answer.headers).not.toHaveProperty('access-control-allow-headers');
      }
    });

    it('may not read what the team’s key is answered', async () => {
      expect(allowed(await balance(team.live, from))).toBeUndefined();
      expect(allowed(await balance(null, from))).toBeUndefined();
    });
  });

  it('on a domain that is authorized later may read answers soon, and no more once it is withdrawn', async () => {
    const late = 'https://late.example';
    const { live, teamId: id } = await server.createTeam({ corsDomains: ['https://early.example'] });
    const update =
      'mutation ($id: String!, $d: [String!]!) { updateTeam(id: $id, input: { corsDomains: $d }) { id } }';
    const authorize = (domains: string[]) => server.graphql(update, { id, d: domains }, server.keys.operator);
    expect(allowed(await balance(live, late))).toBeUndefined();
    await authorize([late]);
    await eventually(async () => allowed(await balance(live, late)) === late);
    expect(allowed(await preflight('/graphql', late))).toBe(late);
    await authorize([]);
    await eventually(async () => allowed(await balance(live, late)) === undefined);
    expect(allowed(await preflight('/graphql', late))).toBeUndefined();
  });
});

describeEngines('origins of strangers', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    // One session: what the server has prepared there can be explained there.
    server = await startTestServer(engine, { settings: { ROLES: 'api', DATABASE_POOL_SIZE: '1' } });
  });
  afterAll(() => server?.close());

  it('are looked up through an index among many teams, whatever PostgreSQL knows of them', async () => {
    await server.query(
      `INSERT INTO teams (id, name, markup_percent, fee_cents, cors_domains, created_at, updated_at)
       SELECT 'team_' || n, 'Agency', 0, 0, ARRAY['https://a' || n || '.example'], now(), now()
         FROM generate_series(1, 5000) n`,
    );
    await server.query('VACUUM ANALYZE teams');
    const asked = await rawRequest(server.url, {
      method: 'OPTIONS',
      path: '/graphql',
      headers: { origin: 'https://a77.example', 'access-control-request-method': 'POST' },
    });
    expect(asked.headers['access-control-allow-origin']).toBe('https://a77.example');
    // The first executions of a statement are planned for their values, the later ones for any.
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await server.query(`SET plan_cache_mode = ${mode}`);
      const plan = await server.query(`EXPLAIN EXECUTE find_cors_origins(ARRAY['https://evil.example'])`);
      expect(JSON.stringify(plan), mode).toContain('Index Scan on teams_cors_domains');
    }
  });

  it('are looked up together by whoever asks at the same moment, each told of its own', async () => {
    const origins = Array.from({ length: 600 }, (_, asked) => `https://a${asked}.stranger.example`);
    await server.query(
      `INSERT INTO teams (id, name, markup_percent, fee_cents, cors_domains, created_at, updated_at)
       SELECT 'team_seven_' || n, 'Agency', 0, 0, ARRAY['https://a' || n || '.stranger.example'], now(), now()
         FROM generate_series(0, 599, 7) n`,
    );
    const shared = SharedConnections.of(server.running.gateway.platform.sequelize);
    const looking = vi.spyOn(shared, 'query');
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('latin1').on('data', (more) => {
      text += more;
    });
    try {
      for (const origin of origins)
        socket.write(
          `OPTIONS /graphql HTTP/1.1\r\nHost: here\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
        );
      const answers = await eventually(() => {
        const [, ...told] = text.split('HTTP/1.1 204 ');
        return told.length === origins.length && told.at(-1)?.endsWith('\r\n\r\n') && told;
      });
      for (const [asked, origin] of origins.entries()) {
        const [, told] = /^Access-Control-Allow-Origin: (.*)$/im.exec(answers[asked] ?? '') ?? [];
        expect([origin, told?.trim()]).toEqual([origin, asked % 7 === 0 ? origin : undefined]);
      }
      const looks = looking.mock.calls.filter(([{ name }]) => name === 'find_cors_origins');
      expect(looks.length).toBeLessThan(100);
    } finally {
      looking.mockRestore();
      socket.destroy();
    }
  });
});
