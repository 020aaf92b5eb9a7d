import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/errors.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import type { GuardedDoor } from './batches.ts';
import { describeBatches } from './batches.ts';
import { describeBodies } from './requestBodies.ts';

it('README has the codes of errors as they are', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const codes = errorCodes.map((code) => `\`${code}\``);
  expect(readme).toContain(`${codes.slice(0, -1).join(', ')} or ${codes.at(-1)}, as in REST`);
});

describeOneEngine('The GraphQL door guards itself', (engine) => {
  let server: TestServer;
  let team: TeamKeys;
  beforeAll(async () => {
    server = await startTestServer(engine);
    team = await server.createTeam();
  });
  afterAll(() => server.close());

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    server.rest('POST', '/graphql', { key: team.test, body, headers });
  const stage: GuardedDoor = {
    post,
    get server() {
      return server;
    },
    get team() {
      return team;
    },
  };

  it('answers at its own path alone', async () => {
    const body = { query: '{ walletBalance { balance } }' };
    const at = (path: string) => server.rest('POST', path, { key: team.live, body });
    expect((await at('/graphql/')).body.data).toEqual({ walletBalance: { balance: '0.00' } });
    for (const path of ['/graphql/anything', '/graphql/assets/anything', '/graphqls'])
      expect([path, (await at(path)).status]).toEqual([path, 404]);
  });

  it('refuses a subscription on a condition like any other fault of a document', async () => {
    const query = 'subscription ($yes: Boolean!) { walletEvents @include(if: $yes) { id } }';
    const { live: key } = team;
    const asked = new URLSearchParams({ query, variables: '{"yes":true}' });
    for (const answer of [
      server.rest('POST', '/graphql', { key, body: { query, variables: { yes: true } } }),
      server.rest('POST', '/graphql', { key, body: [{ query }] }),
      server.rest('GET', `/graphql?${asked}`, { key, headers: { 'Apollo-Require-Preflight': 'true' } }),
    ]) {
      const refused = await answer;
      expect(refused.status).toBe(400);
      expect(refused.body.errors[0]).toMatchObject({
        message: 'Subscriptions have no conditions on their field',
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      });
    }
  });

  it('says over which transports subscriptions are served where one is asked for over another, known or not', async () => {
    const body = { query: 'subscription { walletEvents { id } }' };
    for (let times = 0; times < 2; times += 1) {
      const refused = await server.rest('POST', '/graphql', { key: team.live, body });
      expect([refused.status, refused.body.errors]).toEqual([
        400,
        [
          {
            message: expect.stringMatching(
              /^Subscriptions are served over WebSockets .* text\/event-stream$/,
            ),
            extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
          },
        ],
      ]);
    }
  });

  it.each([
    ['its arguments', '{ walletTransactions(startDate: "2026-02-02", endDate: "2026-02-01") { ', 'startDate'],
    [
      'the variables that they come from',
      'query ($from: Day = "2026-02-02", $to: Day = "2026-02-01") { walletTransactions(startDate: $from, endDate: $to) { ',
      'from',
    ],
  ])('names bad fields by %s', async (_what, beginning, field) => {
    const { body } = await server.graphql(`${beginning} pagination { total } } }`, null, server.keys.test);
    expect(body.errors?.[0]?.extensions.details.errors).toEqual([{ field, type: 'after_end' }]);
  });

  it('names the bad members of a variable alike, whoever finds them', async () => {
    const createTeam = 'mutation ($agency: CreateTeamInput!) { createTeam(input: $agency) { id } }';
    for (const [agency, field] of [
      [{ name: 'Agency', taxId: '11' }, 'agency.taxId'],
      [{ name: 'Agency', feeAmount: '-1' }, 'agency.feeAmount'],
      [{ name: '' }, 'agency.name'],
    ] as const) {
      const { body } = await server.graphql(createTeam, { agency }, server.keys.operator);
      expect(body.errors?.[0]?.extensions.details.field).toBe(field);
    }
  });

  it('answers with JSON whatever is accepted, since the operation is run', async () => {
    const { test: key } = await server.createTeam();
    const query = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
    for (const accept of [
      'text/html',
      'image/png',
      'application/json;q=0',
      'application/json; charset=utf-8',
    ]) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const answer = await server.rest('POST', '/graphql', { key, body: { query }, headers: { accept } });
        expect([answer.status, answer.body?.data.createRecharge.id]).toEqual([200, expect.any(String)]);
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      }
    }
  });

  it.each([
    ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
    ['application/json, application/graphql-response+json;q=0.9', 'application/json'],
    ['*/*', 'application/json'],
  ])('refuses a client that accepts %s in %s, as it is answered', async (accept, mediaType) => {
    const { test: key } = await server.createTeam();
    const query = '{ walletBalance { balance } }';
    const answers = [
      await server.rest('POST', '/graphql', { key, body: { query }, headers: { accept } }),
      await server.rest('POST', '/graphql', { key: 'sk_live_none', body: { query }, headers: { accept } }),
      await server.rest('POST', '/graphql', { key, body: '{"query', headers: { accept } }),
    ];
    const told = answers.map(({ status, headers }) => [status, headers.get('content-type')]);
    expect(told).toEqual([200, 401, 400].map((status) => [status, `${mediaType}; charset=utf-8`]));
  });

  describeBatches(stage);

  describeBodies(stage);

  it('reads a GET whose target is a URL, whatever its host and port', async () => {
    const query = encodeURIComponent('{ walletBalance { balance } }');
    const headers = { authorization: `Bearer ${team.test}`, 'apollo-require-preflight': 'true' };
    for (const target of ['http://example.com', 'http://x:99999']) {
      const { status, body } = await rawRequest(server.url, {
        method: 'GET',
        path: `${target}/graphql?query=${query}`,
        headers,
      });
      expect([target, status, body.data]).toEqual([target, 200, { walletBalance: { balance: '5000.00' } }]);
    }
  });

  it('holds a GET to the limits of documents whatever body it has, in which nothing is asked for', async () => {
    const ask = async (query: string, body: string) => {
      const answer = await rawRequest(server.url, {
        method: 'GET',
        path: `/graphql?query=${encodeURIComponent(query)}`,
        headers: { authorization: `Bearer ${team.test}`, 'content-type': 'application/json' },
        body,
      });
      return [answer.status, answer.body.errors?.[0].message ?? answer.body.data];
    };
    for (const body of ['{}', '[]', JSON.stringify({ query: '{ webhooks { items { id } } }' })]) {
      expect([body, ...(await ask('{ walletBalance { currency } }', body))]).toEqual([
        body,
        200,
        { walletBalance: { currency: 'BRL' } },
      ]);
      expect([body, ...(await ask(`{ ${'a'.repeat(65)}: __typename }`, body))]).toEqual([
        body,
        400,
        'Alias too long: at most 64 characters',
      ]);
    }
  });

  describe('against requests that other sites can make a browser send', () => {
    const query = '{ walletBalance { balance } }';

    it.each([
      ['text/plain', JSON.stringify({ query })],
      ['application/x-www-form-urlencoded', new URLSearchParams({ query }).toString()],
      [
        'multipart/form-data; boundary=x',
        `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${query}\r\n--x--\r\n`,
      ],
    ])('a POST of %s', async (contentType, body) => {
      const answer = await post(body, { 'content-type': contentType });
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain('5000.00');
    });

    it('a GET, unless its key comes in a header that asks for a preflight', async () => {
      const get = (document: string, key: string | null, headers: Record<string, string> = {}) =>
        server.rest('GET', `/graphql?${new URLSearchParams({ query: document })}`, { key, headers });
      const cookie = `authorization=Bearer ${team.test}`;
      expect((await get(query, null, { cookie })).status).toBe(401);
      for (const accept of ['*/*', 'text/html']) {
        const { status, body } = await get(query, team.test, { accept });
        expect([status, body.data]).toEqual([200, { walletBalance: { balance: '5000.00' } }]);
      }
      const mutation = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
      expect((await get(mutation, team.test)).status).toBe(405);
      expect(await server.query('SELECT id FROM recharges WHERE team_id = $1', [team.teamId])).toEqual([]);
    });
  });

  it.each([
    ['{ walletTransactions(limit: 1000) { pagination { total } } }', 'not a valid PageSize', 29],
    ['{ walletTransactions(startDate: "2026-02-30") { pagination { total } } }', 'not a valid Day', 33],
    [
      '{ webhookDeliveries(since: "2026-02-30T12:00:00Z", webhookId: "x") { next } }',
      'not a valid DateTime',
      28,
    ],
    [
      '{ webhookDeliveries(since: "Tue, 17 Nov 2026 12:00:00 GMT", webhookId: "x") { next } }',
      'not a valid DateTime',
      28,
    ],
  ])('says where in %s a value is wrong', async (document, message, column) => {
    const answer = await server.graphql(document, null, server.keys.test);
    expect(answer.body.errors).toMatchObject([{ message, locations: [{ line: 1, column }] }]);
  });

  it('offers GraphiQL to browsers, with everything it loads', async () => {
    const page = await server.rest('GET', '/graphql', {
      headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
    });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    // Or telephones have no room for an answer beside the editor.
    expect(page.text).toMatch(
      /@media \(max-width: 600px\) \{\n#graphiql #graphiql-session \{ flex-direction: column;/,
    );
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    // A script that came in with a text could send a key to whichever server it liked.
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
    // Safari before 15.4 takes no WebSocket for the page's own.
    const { host } = new URL(server.url);
    expect(policy?.match(/wss?:[^ ;]*/g)).toEqual([`ws://${host}`, `wss://${host}`]);
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, link = '']) => new URL(link, server.url).pathname,
    );
    expect(loaded).toHaveLength(5);
    for (const path of loaded) {
      const asset = await server.rest('GET', path);
      expect([path, asset.status]).toEqual([path, 200]);
      expect(asset.headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css/ : /javascript/);
    }
    for (const [headers, status] of [
      [{ range: 'bytes=999999999-' }, 416],
      [{ 'if-match': '"none"' }, 412],
    ] as const) {
      const unmet = await server.rest('GET', '/graphql/assets/react.js', { headers });
      expect([unmet.status, unmet.text]).toEqual([status, '']);
    }
    // What stands there until a key is put in is sent as well: fetch throws at characters that no header may have.
    const start = await server.rest('GET', '/graphql/assets/start.js');
    const [, authorization = ''] = /Authorization: '([^']+)'/.exec(start.text) ?? [];
    const refused = await server.rest('GET', '/graphql', { headers: { authorization } });
    expect([authorization, refused.status]).toEqual([expect.stringMatching(/^Bearer sk_test_/), 401]);
    expect((await server.rest('GET', '/graphql', { headers: { accept: 'application/json' } })).status).toBe(
      401,
    );
  });
});
