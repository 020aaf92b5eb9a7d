import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkVault } from '../../src/domain/vault/keyCheck.ts';
import { createVault } from '../../src/infrastructure/secrets/vault.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { OperationName } from '../harness/operator.ts';
import { instant, Operator, operations, unknownKey, unknownTeam } from '../harness/operator.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { address, badTeams } from './badTeams.ts';

describeEngines('Teams', (engine) => {
  let server: TestServer;
  let operator: Operator;
  beforeAll(async () => {
    server = await startTestServer(engine);
    operator = new Operator(server);
  });
  afterAll(() => server?.close());

  it('are created with every setting, and read back', async () => {
    const input = {
      name: ' Agência Açaí ',
      markupPercent: '12.5000',
      feeAmount: '35',
      alertEmail: 'alertas@açaí-sp.example.com',
      taxId: '11.222.333/0001-81',
      address: { ...address, street: ' Avenida Paulista ', state: 'sp', postalCode: '01310-100' },
      corsDomains: ['https://app.acai.example.com', 'http://localhost:3000'],
    };
    const team = await operator.does('createTeam', { input });
    expect(team).toEqual({
      ...input,
      id: expect.stringMatching(/^team_[0-9a-z]{26}$/),
      name: 'Agência Açaí',
      markupPercent: '12.5',
      feeAmount: '35.00',
      taxId: '11222333000181',
      address,
      createdAt: instant,
      updatedAt: team.createdAt,
    });
    expect(await operator.does('team', { id: team.id })).toEqual(team);
  });

  it('have no markup, fee, alerts or domains unless said', async () => {
    const team = await operator.does('createTeam', { input: { name: 'Plain' } });
    expect(team).toMatchObject({
      markupPercent: '0',
      feeAmount: '0.00',
      alertEmail: null,
      taxId: null,
      address: null,
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

  it('change in what is given and stay as they are in the rest', async () => {
    const created = await operator.does('createTeam', {
      input: { name: 'Before', markupPercent: '10', feeAmount: '5.50', alertEmail: 'a@example.com' },
    });
    const { id } = created;
    const renamed = await operator.does('updateTeam', { id, input: { name: 'After', markupPercent: '100' } });
    expect(renamed).toEqual({ ...created, name: 'After', markupPercent: '100', updatedAt: instant });
    expect(renamed.updatedAt >= created.updatedAt).toBe(true);
    const silent = await operator.does('updateTeam', {
      id,
      input: { alertEmail: null, name: null, corsDomains: [] },
    });
    expect(silent).toMatchObject({ name: 'After', alertEmail: null, feeAmount: '5.50' });
    expect(await operator.does('updateTeam', { id, input: {} })).toMatchObject({
      name: 'After',
      feeAmount: '5.50',
    });
  });

  it('may authorize fifty domains, of the longest name and port that there can be', async () => {
    const host = [63, 63, 63, 61].map((length) => 'a'.repeat(length)).join('.');
    const corsDomains = Array.from({ length: 50 }, (_, index) => `https://${host}:${65_535 - index}`);
    const { id } = await operator.does('createTeam', { input: { name: 'Many', corsDomains } });
    expect(await operator.does('team', { id })).toMatchObject({ corsDomains });
  });

  it.each([
    ['529.982.247-25', '52998224725'],
    ['52998224725', '52998224725'],
    ['11.222.333/0001-81', '11222333000181'],
    ['11222333000181', '11222333000181'],
    // The example of Receita Federal's manual of the check digits.
    ['12.ABC.345/01DE-35', '12ABC34501DE35'],
    ['12ABC34501DE35', '12ABC34501DE35'],
    ['12.abc.345/01de-35', '12ABC34501DE35'],
  ])('have the tax id %s in one form, %s', async (given, taxId) => {
    const { id } = await operator.does('createTeam', { input: { name: 'Payer' } });
    expect(await operator.does('updateTeam', { id, input: { taxId: given } })).toMatchObject({ taxId });
    expect(await operator.does('team', { id })).toMatchObject({ taxId });
  });

  it('have the address in one form: nothing around its members, the state in capitals, the CEP as digits', async () => {
    const padded = Object.fromEntries(Object.entries(address).map(([member, text]) => [member, ` ${text} `]));
    const given = { ...padded, state: ' sp ', postalCode: '01310-100' };
    const { id } = await operator.does('createTeam', { input: { name: 'Payer', address: given } });
    expect(await operator.does('team', { id })).toMatchObject({ address });
  });

  it('keep tax id and address until they are changed or removed, each for itself', async () => {
    const input = { name: 'Payer', taxId: '52998224725', address };
    const { id } = await operator.does('createTeam', { input });
    const change = (changes: object) => operator.does('updateTeam', { id, input: changes });
    expect(await change({ name: 'Other' })).toMatchObject({ taxId: input.taxId, address });
    const { complement: _, ...moved } = { ...address, number: 'S/N' };
    expect(await change({ address: moved })).toMatchObject({
      taxId: input.taxId,
      address: { ...moved, complement: null },
    });
    expect(await change({ address: null })).toMatchObject({ taxId: input.taxId, address: null });
    expect(await change({ taxId: null, address })).toMatchObject({ taxId: null, address });
  });

  it('are sealed where they say who pays, in the answers that are kept as well', async () => {
    const { taxId, street } = { taxId: '52998224725', street: 'Rua da Praia Sealed' };
    const input = { name: 'Sealed', taxId, address: { ...address, street } };
    const headers = { 'idempotency-key': 'sealed' };
    const create = () => operator.ask('createTeam', { input }, undefined, headers);
    const [first, second] = [await create(), await create()];
    expect(first.body.data?.createTeam).toMatchObject({ taxId, address: { street } });
    expect(second.text).toBe(first.text);
    const other = await operator.ask(
      'createTeam',
      { input: { ...input, taxId: '11222333000181' } },
      undefined,
      headers,
    );
    expect(other.body.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', details: { type: 'reused' } } },
    ]);
    const rows = [
      ...(await server.query("SELECT * FROM teams WHERE name = 'Sealed'")),
      ...(await server.query("SELECT * FROM idempotency_keys WHERE key = 'sealed'")),
    ];
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(JSON.stringify(row)).not.toContain(taxId);
      expect(JSON.stringify(row)).not.toContain(street);
    }
    const { sequelize, vault } = server.running.gateway.platform;
    await checkVault(vault, sequelize);
    await expect(checkVault(createVault('0'.repeat(64)), sequelize)).rejects.toThrow('another key');
  });

  it('are shown as the build before kept them: the request told by its hash, the payer sealed in the answer', async () => {
    const input = { name: 'Kept before', taxId: '52998224725', address };
    const headers = { 'idempotency-key': 'kept before' };
    const create = (wanted = input) => operator.ask('createTeam', { input: wanted }, undefined, headers);
    const first = await create();
    const [kept] = await server.query<{ fingerprint: Buffer; outcome: string }>(
      "SELECT fingerprint, outcome FROM idempotency_keys WHERE key = 'kept before'",
    );
    expect(kept!.fingerprint).toHaveLength(0);
    const { vault } = server.running.gateway.platform;
    const { fingerprint, value } = JSON.parse(vault.open(kept!.outcome));
    const { payer, ...before } = value;
    expect(payer).toMatchObject({ taxId: input.taxId });
    await server.query(
      "UPDATE idempotency_keys SET fingerprint = decode($1, 'base64'), outcome = $2 WHERE key = 'kept before'",
      [fingerprint, JSON.stringify({ value: before })],
    );
    const second = await create();
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const other = await create({ ...input, taxId: '11222333000181' });
    expect(other.body.errors).toMatchObject([{ extensions: { details: { type: 'reused' } } }]);
  });

  it('are listed in pages, oldest first', async () => {
    const created = [];
    for (const name of ['One', 'Two', 'Three'])
      created.push(await operator.does('createTeam', { input: { name } }));
    const { pagination } = await operator.does('teams', { limit: 2 });
    expect(pagination).toEqual({
      page: 1,
      limit: 2,
      total: pagination.total,
      pages: Math.ceil(pagination.total / 2),
    });
    const listed = [];
    for (let page = 1; page <= pagination.pages; page += 1) {
      listed.push(...(await operator.does('teams', { page, limit: 2 })).items);
    }
    expect(listed).toHaveLength(pagination.total);
    expect(listed.slice(-3)).toEqual(created);
    expect((await operator.does('teams', { page: pagination.pages + 1, limit: 2 })).items).toEqual([]);
  });

  it.each(badTeams)('refuse %s and name the field', async (_case, input, fields) => {
    const [before] = await server.query<Json>('SELECT count(*) AS teams FROM teams');
    const refusal = { message: 'Invalid request parameters', code: 'VALIDATION_ERROR', fields };
    expect(await operator.refuses('createTeam', { input })).toEqual(refusal);
    const { id, ...team } = await operator.does('createTeam', { input: { name: 'Unchanged' } });
    if (Object.hasOwn(input, 'name')) {
      expect(await operator.refuses('updateTeam', { id, input })).toEqual(refusal);
      expect(await operator.does('team', { id })).toEqual({ id, ...team });
    }
    const [after] = await server.query<Json>('SELECT count(*) AS teams FROM teams');
    expect(Number(after.teams)).toBe(Number(before.teams) + 1);
  });

  it.each(['team', 'updateTeam'] as const)('%s knows no unknown ids', async (name) => {
    for (const id of [unknownTeam, '', 'team_', unknownKey, `team_\u0000`, "team_' OR 1=1 --"]) {
      expect(await operator.refuses(name, name === 'team' ? { id } : { id, input: { name: 'A' } })).toEqual({
        message: 'Team not found',
        code: 'NOT_FOUND',
      });
    }
  });

  it('are created once for each Idempotency-Key, though it is sent several times at once', async () => {
    const create = () =>
      operator.ask('createTeam', { input: { name: 'Once' } }, undefined, { 'idempotency-key': 'once' });
    const answers = [...(await Promise.all(Array.from({ length: 6 }, create))), await create()];
    const isReplayed = answers.map(({ headers }) => headers.get('idempotent-replayed') === 'true');
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body.data.createTeam.name).toBe('Once');
    expect(isReplayed.filter((replayed) => !replayed)).toHaveLength(1);
    expect(await server.query("SELECT id FROM teams WHERE name = 'Once'")).toHaveLength(1);
  });

  it('open both doors to their browser domains within a second of setting them', async () => {
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
        async () => (await answers()).every((answer) => answer.get('access-control-allow-origin') === origin),
        1_000,
      );
    await allHave(null);
    await operator.does('updateTeam', { id: team.teamId, input: { corsDomains: [headers.origin] } });
    await allHave(headers.origin);
    await operator.does('updateTeam', { id: team.teamId, input: { corsDomains: [] } });
    await allHave(null);
  });

  it.each(Object.keys(operations) as OperationName[])('%s is closed to the keys of teams', async (name) => {
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
      expect(await operator.refuses(name, variables, key)).toEqual({
        message: 'Forbidden',
        code: 'FORBIDDEN',
      });
    }
    expect(await server.query("SELECT id FROM teams WHERE name = 'Mine'")).toEqual([]);
    expect(await operator.does('apiKeys', { teamId: team.teamId })).toHaveLength(3);
  });

  it('operators have no wallet at either door', async () => {
    const { operator: key } = server.keys;
    const rest = await server.rest('GET', '/api/v1/wallet/balance', { key });
    expect([rest.status, rest.body]).toEqual([
      403,
      { success: false, error: { code: 'FORBIDDEN', message: 'Forbidden', details: {} } },
    ]);
    const { body } = await server.graphql('{ walletBalance { balance } }', null, key);
    expect(body.errors?.[0].extensions.code).toBe('FORBIDDEN');
  });
});
