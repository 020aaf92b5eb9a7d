import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedRoutes } from '../../rest/preparedRoutes.ts';
import type { Route } from '../../rest/route.ts';
import { routes } from '../../rest/routes/index.ts';
import { scopes } from '../../src/domain/teams/scope.ts';
import { respeltPath } from '../../src/infrastructure/http/pathParameters.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/**
 * What holds for every documented endpoint, present and future: there is no list here to forget an entry of.
 */

const prepared = preparedRoutes();

const pathOf = (route: Route) => `/api/v1${respeltPath(route.path, () => 'unknown')}`;

const titles = prepared.map(({ route, rules }) => ({
  title: `${route.method.toUpperCase()} ${route.path}`,
  route,
  rules,
}));

describeOneEngine('every documented endpoint', (engine) => {
  let server: TestServer;
  let team: TeamKeys;
  beforeAll(async () => {
    server = await startTestServer(engine);
    team = await server.createTeam();
  });
  afterAll(() => server?.close());

  const call = (route: Route, key: string | null) =>
    server.rest(route.method.toUpperCase(), pathOf(route), {
      key,
      ...(route.method === 'get' ? {} : { body: {} }),
    });

  it('is one of at least those of the wallet and its recharges', () => {
    expect(titles.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        'GET /wallet/balance',
        'GET /wallet/transactions',
        'POST /wallet/recharge',
        'GET /wallet/recharge/:id',
      ]),
    );
  });

  describe.each(titles)('$title', ({ route, rules }) => {
    it.each([
      ['no key', null],
      ['an unknown key', 'sk_live_unknown_unknown_unknown'],
    ])('answers 401 to %s, and nothing else', async (_kind, key) => {
      const { status, body, headers } = await call(route, key);
      expect(status).toBe(401);
      expect(body).toEqual({
        success: false,
        error: { code: 'UNAUTHORIZED', message: 'Unauthorized', details: {} },
      });
      expect(headers.get('x-request-id')).toBeTruthy();
      expect(headers.get('cache-control')).toBe('no-store');
    });

    it(`answers 403 to a key with every scope but ${rules.scope}`, async () => {
      const others = scopes.filter((scope) => scope !== rules.scope);
      const { secret } = await server.createKey({ kind: 'test', teamId: team.teamId, scopes: others });
      const { status, body } = await call(route, secret);
      expect(status).toBe(403);
      expect(body).toEqual({
        success: false,
        error: { code: 'FORBIDDEN', message: 'Forbidden', details: {} },
        _meta: { test_mode: true, message: expect.any(String) },
      });
    });

    it('answers 403 to an operator', async () => {
      expect((await call(route, server.keys.operator)).status).toBe(403);
    });

    it(`lets a test key with ${rules.scope} alone in, and shows it the notice of test mode`, async () => {
      const scope = scopes.filter((one) => one === rules.scope);
      const { secret } = await server.createKey({ kind: 'test', teamId: team.teamId, scopes: scope });
      const { status, body } = await call(route, secret);
      expect([401, 403, 405, 500]).not.toContain(status);
      expect(body._meta).toEqual({ test_mode: true, message: expect.any(String) });
    });

    it(`answers ${rules.testOnly ? 'only 403' : 'without the notice of test mode'} to a live key`, async () => {
      const { status, body } = await call(route, team.live);
      if (rules.testOnly) expect(status).toBe(403);
      else expect([401, 403, 405, 500]).not.toContain(status);
      expect(body).not.toHaveProperty('_meta');
    });

    it('has rate-limit headers and may not be cached', async () => {
      const { headers } = await call(route, team.test);
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
        expect(headers.get(name), name).toMatch(/^\d+$/);
      }
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    });

    it('answers 405 to every other method, and says which are allowed', async () => {
      const allowed = routes
        .filter(({ path }) => path === route.path)
        .map(({ method }) => method.toUpperCase());
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        if (allowed.includes(method)) continue;
        const { status, body, headers } = await server.rest(method, pathOf(route), { key: team.test });
        expect(status, method).toBe(405);
        expect(headers.get('allow'), method).toBe(allowed.join(', '));
        expect(body, method).toEqual({
          success: false,
          error: {
            code: 'VALIDATION_ERROR',
            message: 'Method not allowed',
            details: { field: 'method', type: 'not_allowed' },
          },
          _meta: { test_mode: true, message: expect.any(String) },
        });
      }
    });
  });
});
