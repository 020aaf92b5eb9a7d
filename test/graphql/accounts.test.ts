import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecretKey } from '../../src/domain/teams/secretKey.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const teamFields = 'id name markupPercent feeAmount alertEmail corsDomains createdAt updatedAt';
const keyFields = 'id teamId kind name lastFour scopes createdAt revokedAt';
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const unknownTeam = 'team_01jd4ynv5te5j8v2r0h3m6x9qa';
const unknownKey = 'key_01jd4ynv5te5j8v2r0h3m6x9qa';

const allScopes = [
  'wallet:read',
  'wallet:write',
  'flights:search',
  'bookings:read',
  'bookings:write',
  'webhooks:read',
  'webhooks:write',
];

const operations = {
  createTeam: `mutation ($input: CreateTeamInput!) { createTeam(input: $input) { ${teamFields} } }`,
  updateTeam: `mutation ($id: String!, $input: UpdateTeamInput!) { updateTeam(id: $id, input: $input) { ${teamFields} } }`,
  team: `query ($id: String!) { team(id: $id) { ${teamFields} } }`,
  teams: `query ($page: PageNumber, $limit: PageSize) {
    teams(page: $page, limit: $limit) { items { ${teamFields} } pagination { page limit total pages } }
  }`,
  createApiKey: `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { ${keyFields} } } }`,
  revokeApiKey: `mutation ($id: String!) { revokeApiKey(id: $id) { ${keyFields} } }`,
  apiKeys: `query ($teamId: String) { apiKeys(teamId: $teamId) { ${keyFields} } }`,
};

type OperationName = keyof typeof operations;

describeEngines('Accounts', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  const ask = (name: OperationName, variables: object, key = server.keys.operator, headers = {}) =>
    server.graphql(operations[name], variables, key, headers);

  /** The value of an operation that succeeds. */
  async function does(name: OperationName, variables: object): Promise<Json> {
    const { body } = await ask(name, variables);
    expect(body.errors).toBeUndefined();
    return body.data[name];
  }

  /** The refusal of an operation that fails. */
  async function refuses(name: OperationName, variables: object, key?: string): Promise<Json> {
    const { body } = await ask(name, variables, key);
    expect(body.errors).toHaveLength(1);
    expect(body.data?.[name] ?? null).toBeNull();
    const { message, extensions } = body.errors?.[0] ?? {};
    const fields = extensions.details.errors?.map(({ field }: Json) => field);
    return { message, code: extensions.code, ...(fields ? { fields } : {}) };
  }

  const balance = (key: string) => server.rest('GET', '/api/v1/wallet/balance', { key });

  describe('teams', () => {
    test('are created with every setting, and read back', async () => {
      const input = {
        name: ' Agência Açaí ',
        markupPercent: '12.5000',
        feeAmount: '35',
        alertEmail: 'alertas@acai.example.com',
        corsDomains: ['https://app.acai.example.com', 'http://localhost:3000'],
      };
      const team = await does('createTeam', { input });
      expect(team).toEqual({
        ...input,
        id: expect.stringMatching(/^team_[0-9a-z]{26}$/),
        name: 'Agência Açaí',
        markupPercent: '12.5',
        feeAmount: '35.00',
        createdAt: instant,
        updatedAt: team.createdAt,
      });
      expect(await does('team', { id: team.id })).toEqual(team);
    });

    test('have no markup, fee, alerts or domains unless said', async () => {
      const team = await does('createTeam', { input: { name: 'Plain' } });
      expect(team).toMatchObject({
        markupPercent: '0',
        feeAmount: '0.00',
        alertEmail: null,
        corsDomains: [],
      });
      const wallets = await server.query(
        'SELECT mode, balance_cents FROM wallets WHERE team_id = $1 ORDER BY mode',
        [team.id],
      );
      expect(wallets.map((wallet: Json) => [wallet.mode, String(wallet.balance_cents)])).toEqual([
        ['live', '0'],
        ['test', '500000'],
      ]);
    });

    test('change in what is given and stay as they are in the rest', async () => {
      const created = await does('createTeam', {
        input: { name: 'Before', markupPercent: '10', feeAmount: '5.50', alertEmail: 'a@example.com' },
      });
      const { id } = created;
      const renamed = await does('updateTeam', { id, input: { name: 'After', markupPercent: '100' } });
      expect(renamed).toEqual({ ...created, name: 'After', markupPercent: '100', updatedAt: instant });
      expect(renamed.updatedAt >= created.updatedAt).toBe(true);
      const silent = await does('updateTeam', {
        id,
        input: { alertEmail: null, name: null, corsDomains: [] },
      });
      expect(silent).toMatchObject({ name: 'After', alertEmail: null, feeAmount: '5.50' });
      expect(await does('updateTeam', { id, input: {} })).toMatchObject({ name: 'After', feeAmount: '5.50' });
    });

    test('are listed in pages, oldest first', async () => {
      const created = [];
      for (const name of ['One', 'Two', 'Three']) created.push(await does('createTeam', { input: { name } }));
      const { pagination } = await does('teams', { limit: 2 });
      expect(pagination).toEqual({
        page: 1,
        limit: 2,
        total: pagination.total,
        pages: Math.ceil(pagination.total / 2),
      });
      const listed = [];
      for (let page = 1; page <= pagination.pages; page += 1) {
        listed.push(...(await does('teams', { page, limit: 2 })).items);
      }
      expect(listed).toHaveLength(pagination.total);
      expect(listed.slice(-3)).toEqual(created);
      expect((await does('teams', { page: pagination.pages + 1, limit: 2 })).items).toEqual([]);
    });

    test.each<[string, object, string[]]>([
      ['an empty name', { name: '  ' }, ['input.name']],
      ['a name of 121 characters', { name: 'x'.repeat(121) }, ['input.name']],
      ['a name with a NUL', { name: 'a\u0000b' }, ['input.name']],
      ['a name that is no text', { name: 5 }, ['input.name']],
      ['no name', {}, ['input.name']],
      ['a negative markup', { name: 'A', markupPercent: '-1' }, ['input.markupPercent']],
      ['a markup above 100', { name: 'A', markupPercent: '100.0001' }, ['input.markupPercent']],
      ['a markup as a number', { name: 'A', markupPercent: 10 }, ['input.markupPercent']],
      ['a fee in words', { name: 'A', feeAmount: 'ten' }, ['input.feeAmount']],
      ['a fee with three decimals', { name: 'A', feeAmount: '1.005' }, ['input.feeAmount']],
      ['an address without a host', { name: 'A', alertEmail: 'ops@' }, ['input.alertEmail']],
      ['an address with a NUL', { name: 'A', alertEmail: 'o\u0000ps@example.com' }, ['input.alertEmail']],
      [
        'an address with a line break',
        { name: 'A', alertEmail: 'ops@example.com\r\nBcc: x' },
        ['input.alertEmail'],
      ],
      ['an empty address', { name: 'A', alertEmail: '' }, ['input.alertEmail']],
      ['a domain with a path', { name: 'A', corsDomains: ['https://a.example.com/'] }, ['input.corsDomains']],
      ['any domain', { name: 'A', corsDomains: ['*'] }, ['input.corsDomains']],
      ['any domain below one', { name: 'A', corsDomains: ['https://*.example.com'] }, ['input.corsDomains']],
      [
        'a domain that is no page',
        { name: 'A', corsDomains: ['ftp://a.example.com'] },
        ['input.corsDomains'],
      ],
      [
        '51 domains',
        { name: 'A', corsDomains: Array(51).fill('https://a.example.com') },
        ['input.corsDomains'],
      ],
      ['a setting that does not exist', { name: 'A', colour: 'red' }, ['input.colour']],
      [
        'several faults at once',
        { name: '', markupPercent: '101', alertEmail: 'x', corsDomains: ['x'] },
        ['input.name', 'input.markupPercent', 'input.alertEmail', 'input.corsDomains'],
      ],
      [
        'what is of the wrong type together with what is not',
        {
          name: '',
          markupPercent: 10,
          feeAmount: '10',
          alertEmail: 'x',
          corsDomains: ['x', 1],
          colour: 'red',
        },
        [
          'input.name',
          'input.markupPercent',
          'input.alertEmail',
          'input.corsDomains.1',
          'input.corsDomains',
          'input.colour',
        ],
      ],
    ])('refuse %s and name the field', async (_case, input, fields) => {
      const [before] = await server.query<Json>('SELECT count(*) AS teams FROM teams');
      const refusal = { message: 'Invalid request parameters', code: 'VALIDATION_ERROR', fields };
      expect(await refuses('createTeam', { input })).toEqual(refusal);
      const { id, ...team } = await does('createTeam', { input: { name: 'Unchanged' } });
      if (Object.hasOwn(input, 'name')) {
        expect(await refuses('updateTeam', { id, input })).toEqual(refusal);
        expect(await does('team', { id })).toEqual({ id, ...team });
      }
      const [after] = await server.query<Json>('SELECT count(*) AS teams FROM teams');
      expect(Number(after.teams)).toBe(Number(before.teams) + 1);
    });

    test.each(['team', 'updateTeam'] as const)('%s knows no unknown ids', async (name) => {
      for (const id of [unknownTeam, '', 'team_', unknownKey, `team_\u0000`, "team_' OR 1=1 --"]) {
        expect(await refuses(name, name === 'team' ? { id } : { id, input: { name: 'A' } })).toEqual({
          message: 'Team not found',
          code: 'NOT_FOUND',
        });
      }
    });

    test('are created once for each Idempotency-Key', async () => {
      const create = () =>
        ask('createTeam', { input: { name: 'Once' } }, undefined, { 'idempotency-key': 'once' });
      const [first, second] = [await create(), await create()];
      expect(second.text).toBe(first.text);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(await server.query("SELECT id FROM teams WHERE name = 'Once'")).toHaveLength(1);
    });

    test('open both doors to their browser domains within a second of setting them', async () => {
      const team = await server.createTeam();
      const headers = { origin: 'https://late.example.com' };
      const answers = async () => [
        (await server.rest('GET', '/api/v1/wallet/balance', { key: team.test, headers })).headers,
        (await server.graphql('{ walletBalance { balance } }', null, team.test, headers)).headers,
        (
          await server.rest('OPTIONS', '/api/v1/wallet/balance', {
            headers: { ...headers, 'access-control-request-method': 'GET' },
          })
        ).headers,
      ];
      const allHave = (origin: string | null) =>
        eventually(
          async () =>
            (await answers()).every((answer) => answer.get('access-control-allow-origin') === origin),
          1_500,
        );
      await allHave(null);
      await does('updateTeam', { id: team.teamId, input: { corsDomains: [headers.origin] } });
      await allHave(headers.origin);
      await does('updateTeam', { id: team.teamId, input: { corsDomains: [] } });
      await allHave(null);
    });
  });

  describe('keys', () => {
    test.each([
      ['live', /^sk_live_[A-Za-z0-9_-]{43}$/],
      ['test', /^sk_test_[A-Za-z0-9_-]{43}$/],
      ['operator', /^sk_admin_[A-Za-z0-9_-]{43}$/],
    ])('of kind %s are issued, shown once and stored as SHA-256 only', async (kind, format) => {
      const { teamId } = await server.createTeam();
      const owner = kind === 'operator' ? null : teamId;
      const { secret, apiKey } = await does('createApiKey', {
        input: { kind, teamId: owner, name: ' Production site ' },
      });
      expect(secret).toMatch(format);
      expect(apiKey).toEqual({
        id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
        teamId: owner,
        kind,
        name: 'Production site',
        lastFour: secret.slice(-4),
        scopes: kind === 'operator' ? [] : allScopes,
        createdAt: instant,
        revokedAt: null,
      });
      const listed = await does('apiKeys', { teamId: owner });
      expect(listed.at(-1)).toEqual(apiKey);
      expect(JSON.stringify(listed)).not.toContain(secret);
      const [stored] = await server.query<Json>(
        "SELECT encode(hash, 'hex') AS hash FROM api_keys WHERE id = $1",
        [apiKey.id],
      );
      expect(stored.hash).toBe(createHash('sha256').update(secret).digest('hex'));
      expect(await everythingStored()).not.toContain(secret);
    });

    test('are issued once for each Idempotency-Key, whose stored answer hides the secret', async () => {
      const { teamId } = await server.createTeam();
      const issue = () =>
        ask('createApiKey', { input: { kind: 'live', teamId, name: 'A' } }, undefined, {
          'idempotency-key': 'issue',
        });
      const [first, second] = [await issue(), await issue()];
      expect(second.text).toBe(first.text);
      const { secret } = second.body.data.createApiKey;
      expect((await balance(secret)).status).toBe(200);
      expect(await everythingStored()).not.toContain(secret);
      expect(await does('apiKeys', { teamId })).toHaveLength(3);
    });

    /** Every row of every table, as text. */
    async function everythingStored(): Promise<string> {
      const tables = await server.query<{ name: string }>(
        "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'",
      );
      expect(tables.length).toBeGreaterThan(6);
      const texts = await Promise.all(
        tables.map(({ name }) =>
          server.query<Json>(`SELECT string_agg(t::text, ' ') AS text FROM ${name} t`),
        ),
      );
      return texts.map(([row]) => row?.text).join('\n');
    }

    test('may do what their scopes say, at both doors', async () => {
      const { teamId } = await server.createTeam();
      const { secret: reader } = await server.createKey({
        kind: 'test',
        teamId,
        scopes: ['wallet:read', 'wallet:read'],
      });
      const { secret: writer } = await server.createKey({ kind: 'test', teamId, scopes: ['wallet:write'] });
      expect((await does('apiKeys', { teamId })).slice(-2).map(({ scopes }: Json) => scopes)).toEqual([
        ['wallet:read'],
        ['wallet:write'],
      ]);
      const order = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
      const create = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
      const read = '{ walletBalance { balance } }';
      const recharge = (key: string) => server.rest('POST', '/api/v1/wallet/recharge', { key, body: order });
      expect([(await balance(reader)).status, (await recharge(reader)).status]).toEqual([200, 403]);
      expect([(await balance(writer)).status, (await recharge(writer)).status]).toEqual([403, 201]);
      const code = async (query: string, key: string) =>
        (await server.graphql(query, null, key)).body.errors?.[0].extensions.code;
      expect([await code(read, reader), await code(create, reader)]).toEqual([undefined, 'FORBIDDEN']);
      expect([await code(read, writer), await code(create, writer)]).toEqual(['FORBIDDEN', undefined]);
    });

    test.each<[string, object, Json]>([
      ['an empty name', { kind: 'live', name: '' }, { fields: ['input.name'] }],
      ['a name with a NUL', { kind: 'live', name: '\u0000' }, { fields: ['input.name'] }],
      ['an unknown kind', { kind: 'staging', name: 'A' }, { fields: ['input.kind'] }],
      [
        'an unknown scope',
        { kind: 'live', name: 'A', scopes: ['wallet:read', 'wallet:all'] },
        { fields: ['input.scopes.1'] },
      ],
      ['a live key of nobody', { kind: 'live', name: 'A', teamId: null }, { fields: ['input.teamId'] }],
      ['an operator of a team', { kind: 'operator', name: 'A' }, { fields: ['input.teamId'] }],
      [
        'an operator with scopes',
        { kind: 'operator', name: 'A', teamId: null, scopes: ['wallet:read'] },
        { fields: ['input.scopes'] },
      ],
      [
        'an operator with unknown scopes and without a name',
        { kind: 'operator', name: ' ', scopes: ['wallet:all'] },
        { fields: ['input.teamId', 'input.name', 'input.scopes.0', 'input.scopes'] },
      ],
      [
        'an unknown kind and a team that is a number',
        { kind: 'staging', name: '', teamId: 1 },
        { fields: ['input.kind', 'input.teamId', 'input.name'] },
      ],
      [
        'a live key of a team that is a number',
        { kind: 'live', name: '', teamId: 1 },
        { fields: ['input.teamId', 'input.name'] },
      ],
    ])('refuse %s and name the field', async (_case, input, { fields }) => {
      const { teamId } = await server.createTeam();
      expect(await refuses('createApiKey', { input: { teamId, ...input } })).toEqual({
        message: 'Invalid request parameters',
        code: 'VALIDATION_ERROR',
        fields,
      });
      expect(await does('apiKeys', { teamId })).toHaveLength(2);
    });

    test('belong to teams that exist', async () => {
      for (const teamId of [unknownTeam, 'x', '\u0000']) {
        const refusal = { message: 'Team not found', code: 'NOT_FOUND' };
        expect(await refuses('createApiKey', { input: { kind: 'live', name: 'A', teamId } })).toEqual(
          refusal,
        );
        expect(await refuses('apiKeys', { teamId })).toEqual(refusal);
      }
    });

    test('stop working at both doors within a second of their revocation, and only they', async () => {
      const team = await server.createTeam();
      const { id, secret } = await server.createKey({ kind: 'live', teamId: team.teamId });
      expect((await balance(secret)).status).toBe(200);
      const revoked = await does('revokeApiKey', { id });
      expect(revoked).toMatchObject({ id, revokedAt: instant });
      await eventually(async () => (await balance(secret)).status === 401, 1_500);
      expect((await server.graphql('{ walletBalance { balance } }', null, secret)).status).toBe(401);
      expect((await balance(team.live)).status).toBe(200);
      expect((await does('apiKeys', { teamId: team.teamId })).at(-1)).toEqual(revoked);
    });

    test('are watched until their revocation, though an earlier watch of the same key was ended twice', async () => {
      const { teamId } = await server.createTeam();
      const { id, secret } = await server.createKey({ kind: 'live', teamId });
      const { access } = server.running.gateway;
      const end = access.watch(hashSecretKey(secret), () => undefined);
      end();
      let isTold = false;
      access.watch(hashSecretKey(secret), () => {
        isTold = true;
      });
      end();
      await does('revokeApiKey', { id });
      await eventually(() => isTold);
    });

    test('are revoked once, by however many at the same time', async () => {
      const { teamId } = await server.createTeam();
      const { id } = await server.createKey({ kind: 'live', teamId });
      const answers = await Promise.all([1, 2, 3].map(() => ask('revokeApiKey', { id })));
      const refusals = answers.flatMap(({ body }) => body.errors ?? []);
      expect(refusals.map(({ message, extensions }) => [message, extensions.code])).toEqual(
        Array(2).fill(['API key already revoked', 'VALIDATION_ERROR']),
      );
      expect((await refuses('revokeApiKey', { id })).message).toBe('API key already revoked');
      const events = await server.query(
        "SELECT id FROM events WHERE subject_id = $1 AND type = 'api_key.revoked'",
        [id],
      );
      expect(events).toHaveLength(1);
      for (const unknown of [unknownKey, '', 'key_\u0000', teamId]) {
        expect(await refuses('revokeApiKey', { id: unknown })).toEqual({
          message: 'API key not found',
          code: 'NOT_FOUND',
        });
      }
    });

    test('tell of their creation and revocation in the events of their team and mode', async () => {
      const { teamId } = await server.createTeam();
      const { apiKey } = await does('createApiKey', {
        input: { kind: 'test', teamId, name: 'Told', scopes: ['flights:search'] },
      });
      const { revokedAt } = await does('revokeApiKey', { id: apiKey.id });
      const events = await server.query<Json>(
        'SELECT type, mode, team_id, data FROM events WHERE subject_id = $1 ORDER BY sequence',
        [apiKey.id],
      );
      const object = {
        id: apiKey.id,
        name: 'Told',
        mode: 'test',
        last_four: apiKey.lastFour,
        scopes: ['flights:search'],
        created_at: apiKey.createdAt,
      };
      expect(events).toEqual([
        { type: 'api_key.created', mode: 'test', team_id: teamId, data: { object } },
        {
          type: 'api_key.revoked',
          mode: 'test',
          team_id: teamId,
          data: { object: { ...object, revoked_at: revokedAt }, previous_attributes: { revoked_at: null } },
        },
      ]);
    });

    test('of operators can be revoked too, and tell no team', async () => {
      const { apiKey, secret } = await does('createApiKey', { input: { kind: 'operator', name: 'Second' } });
      expect((await ask('teams', {}, secret)).body.errors).toBeUndefined();
      await does('revokeApiKey', { id: apiKey.id });
      await eventually(async () => (await ask('teams', {}, secret)).status === 401, 1_500);
      expect(await server.query('SELECT id FROM events WHERE subject_id = $1', [apiKey.id])).toEqual([]);
    });
  });

  test.each(Object.keys(operations) as OperationName[])('%s is closed to the keys of teams', async (name) => {
    const team = await server.createTeam();
    const { id } = await server.createKey({ kind: 'live', teamId: team.teamId });
    const variables = {
      createTeam: { input: { name: 'Mine' } },
      updateTeam: { id: team.teamId, input: { name: 'Mine' } },
      team: { id: team.teamId },
      teams: {},
      createApiKey: { input: { kind: 'live', teamId: team.teamId, name: 'Mine' } },
      revokeApiKey: { id },
      apiKeys: { teamId: team.teamId },
    }[name];
    for (const key of [team.live, team.test]) {
      expect(await refuses(name, variables, key)).toEqual({ message: 'Forbidden', code: 'FORBIDDEN' });
    }
    expect(await server.query("SELECT id FROM teams WHERE name = 'Mine'")).toEqual([]);
    expect(await does('apiKeys', { teamId: team.teamId })).toHaveLength(3);
  });

  test('operators have no wallet at either door', async () => {
    const { operator } = server.keys;
    const rest = await balance(operator);
    expect([rest.status, rest.body]).toEqual([
      403,
      { success: false, error: { code: 'FORBIDDEN', message: 'Forbidden', details: {} } },
    ]);
    const { body } = await server.graphql('{ walletBalance { balance } }', null, operator);
    expect(body.errors?.[0].extensions.code).toBe('FORBIDDEN');
  });
});
