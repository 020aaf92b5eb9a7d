import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

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

  it('answers at its own path alone', async () => {
    const body = { query: '{ walletBalance { balance } }' };
    const at = (path: string) => server.rest('POST', path, { key: team.live, body });
    expect((await at('/graphql/')).body.data).toEqual({ walletBalance: { balance: '0.00' } });
    for (const path of ['/graphql/anything', '/graphql/assets/anything', '/graphqls'])
      expect([path, (await at(path)).status]).toEqual([path, 404]);
  });

  it('takes ten operations in a request, and no more', async () => {
    const operations = (count: number) => Array(count).fill({ query: '{ walletBalance { balance } }' });
    const ten = await post(operations(10));
    expect(ten.status).toBe(200);
    expect(ten.body).toHaveLength(10);
    const eleven = await post(operations(11));
    expect(eleven.status).toBe(400);
    expect(eleven.body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'body', type: 'too_many_operations' },
    });
    expect((await post([])).status).toBe(400);
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

  it('does not look long at what a client says of its body', async () => {
    const query = '{ walletBalance { balance } }';
    const asked = async (contentType: string) => {
      const startedMs = performance.now();
      const url = `${server.url}/graphql?query=${encodeURIComponent(query)}`;
      const headers = { authorization: `Bearer ${server.keys.test}`, 'content-type': contentType };
      expect((await fetch(url, { headers })).status).toBe(200);
      return performance.now() - startedMs;
    };
    const [plain, long]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 5; turn += 1) {
      plain.push(await asked('application/json'));
      long.push(await asked(`application/json;${' '.repeat(14_000)}x`));
    }
    const middle = (times: number[]) => times.sort((one, other) => one - other)[2]!;
    expect(middle(long)).toBeLessThan(15 * middle(plain));
  });

  it('answers a batch with a list, whatever is refused of it', async () => {
    const query = 'query ($limit: PageSize!) { recharges(limit: $limit) { pagination { limit } } }';
    const batch = [{ query, variables: { limit: 5 } }, { query, variables: { limit: 101 } }, { query: '{' }];
    for (const key of [team.live, team.test]) {
      const { status, body } = await server.rest('POST', '/graphql', { key, body: batch });
      expect(status).toBe(200);
      const extensions =
        key === team.live ? undefined : { _meta: { test_mode: true, message: expect.any(String) } };
      const refused = (code: string) => ({
        errors: [expect.objectContaining({ extensions: expect.objectContaining({ code }) })],
        extensions,
      });
      expect(body).toEqual([
        { data: { recharges: { pagination: { limit: 5 } } }, extensions },
        refused('VALIDATION_ERROR'),
        refused('GRAPHQL_PARSE_FAILED'),
      ]);
    }
    const refused = await server.rest('POST', '/graphql', { key: team.live, body: batch.slice(1) });
    expect([refused.status, refused.body.length]).toEqual([400, 2]);
  });

  it('runs nothing of a batch with a member that is no request', async () => {
    const { teamId, test: key } = await server.createTeam();
    const query = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
    for (const member of [
      null,
      5,
      [{ query }],
      {},
      { query: [query] },
      { query, variables: '{}' },
      { query, operationName: 5 },
      { query, extensions: [] },
    ]) {
      const { status, body } = await server.rest('POST', '/graphql', { key, body: [{ query }, member] });
      expect([status, body.errors[0].extensions.details.errors]).toEqual([
        400,
        [{ field: 'body.1', type: 'invalid' }],
      ]);
    }
    expect(await server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId])).toEqual([]);
    const sound = await server.rest('POST', '/graphql', {
      key,
      body: [{ query, variables: null, operationName: null, extensions: null }, { query }],
    });
    expect(sound.body.map(({ data }: Json) => data.createRecharge.id)).toHaveLength(2);
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

  it('counts every operation of a batch', async () => {
    const { test: key } = await server.createTeam();
    const remaining = async () => {
      const { headers } = await server.graphql('{ walletBalance { balance } }', null, key);
      return Number(headers.get('x-ratelimit-remaining'));
    };
    const before = await remaining();
    await server.rest('POST', '/graphql', {
      key,
      body: Array(10).fill({ query: '{ walletBalance { balance } }' }),
    });
    expect(before - (await remaining())).toBe(11);
  });

  it('reads bodies up to 1 MiB', async () => {
    const padded = (bytes: number) => {
      const body = (filling: string) =>
        JSON.stringify({ query: `{ walletBalance { balance } } #${filling}` });
      return body('x'.repeat(bytes - body('').length));
    };
    expect((await post(padded(1024 * 1024))).body.data.walletBalance.balance).toBe('5000.00');
    for (const bytes of [1024 * 1024 + 1, 3_000_000]) {
      const answer = await post(padded(bytes));
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { field: 'body', type: 'too_large' },
      });
    }
  });

  it('stops reading a body that has no end', async () => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${team.test}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    // 16 MiB are read, and the buffers of both ends hold some 10 MiB more: far below what is ready to be sent.
    const mostChunks = 2_000;
    let chunks = 0;
    while (!socket.destroyed && answer === '' && chunks < mostChunks) {
      await new Promise((resolve) => socket.write(chunk, resolve));
      chunks += 1;
    }
    socket.destroy();
    // The answer may get lost with what the client was still sending.
    expect(answer.slice(0, 12)).toMatch(/^(HTTP\/1.1 400)?$/);
    expect(chunks).toBeLessThan(mostChunks);
  });

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
  ])('says where in %s a value is wrong', async (document, message, column) => {
    const answer = await server.graphql(document, null, server.keys.test);
    expect(answer.body.errors).toMatchObject([{ message, locations: [{ line: 1, column }] }]);
  });

  it('offers GraphiQL to browsers, with everything it loads', async () => {
    const page = await server.rest('GET', '/graphql', {
      headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
    });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    // A script that came in with a text could send a key to whichever server it liked.
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
    // Safari before 15.4 takes no WebSocket for the page's own.
    const { host } = new URL(server.url);
    expect(policy?.match(/wss?:[^ ;]*/g)).toEqual([`ws://${host}`, `wss://${host}`]);
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
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
