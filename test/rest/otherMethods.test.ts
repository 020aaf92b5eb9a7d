import { afterAll, beforeAll, expect, it } from 'vitest';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** Paths that are open to anyone, with the name under which they are counted. */
const openPaths = [
  [`/etickets/${newIdentifier('ord')}.pdf?signature=none`, '/etickets/:id.pdf'],
  [`/pix/${newIdentifier('rch')}.png`, '/pix/:id.png'],
  [`/boletos/${newIdentifier('rch')}`, '/boletos/:id'],
  [`/boletos/${newIdentifier('rch')}.pdf`, '/boletos/:id.pdf'],
  ['/logos/LA.svg', '/logos/:code.svg'],
  ['/favicon.ico', '/favicon.ico'],
  ['/docs', '/docs'],
  ['/docs/start.js', '/docs/start.js'],
  ['/docs/swagger-ui.css', '/docs/swagger-ui.css'],
  ['/graphql/assets/start.js', '/graphql/assets/start.js'],
  ['/graphql/assets/react.js', '/graphql/assets/react.js'],
  ['/api/v1/openapi.json', '/openapi.json'],
  ['/health/live', '/health/live'],
  ['/health/ready', '/health/ready'],
  ['/metrics', '/metrics'],
] as const;

const refusal = {
  success: false,
  error: {
    code: 'VALIDATION_ERROR',
    message: 'Method not allowed',
    details: { field: 'method', type: 'not_allowed' },
  },
};

/** Those of the routes of /api/v1 are tested with the routes. */
describeOneEngine('Other methods than those of a path', (engine) => {
  let server: TestServer;
  let team: TeamKeys;
  beforeAll(async () => {
    server = await startTestServer(engine);
    team = await server.createTeam();
  });
  afterAll(() => server?.close());

  it.each(openPaths)('are answered 405 with what is allowed at %s', async (path, routeName) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const { status, headers, body } = await server.rest(method, path);
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET']);
      expect(body, method).toEqual(refusal);
    }
    await server.rest('GET', path);
    const { text } = await server.rest('GET', '/metrics');
    expect(text).toContain(`method="POST",route="${routeName}",status="405"`);
    // With whatever outcome, and never under a name that clients make up.
    expect(text).toContain(`method="GET",route="${routeName}",status="`);
  });

  it('do not keep GET and HEAD from being served', async () => {
    for (const path of ['/logos/LA.svg', '/docs/start.js', '/health/live']) {
      for (const method of ['GET', 'HEAD']) {
        const { status } = await fetch(server.url + path, { method });
        expect([method, path, status]).toEqual([method, path, 200]);
      }
    }
  });

  it('are answered 405 at the simulated bank, for whoever has a key', async () => {
    const path = `/simulator/recharges/${newIdentifier('rch')}/pay`;
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await server.rest(method, path)).status).toBe(401);
      const { status, headers, body } = await server.rest(method, path, { key: team.live });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
      expect(body).toEqual(refusal);
      expect(headers.get('x-ratelimit-remaining')).not.toBeNull();
    }
  });
});
