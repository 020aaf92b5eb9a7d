import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { scopes } from '../../src/domain/teams/scope.ts';
import { hashSecretKey } from '../../src/domain/teams/secretKey.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { instant, Operator, unknownKey, unknownTeam } from '../harness/operator.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const allScopes = [
  'wallet:read',
  'wallet:write',
  'flights:search',
  'bookings:read',
  'bookings:write',
  'webhooks:read',
  'webhooks:write',
];

it('README has the scopes of keys as they are', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`${scopes.map((scope) => `\`${scope}\``).join(', ')}; all of them`);
});

describeEngines('API keys', (engine) => {
  let server: TestServer;
  let operator: Operator;
  beforeAll(async () => {
    server = await startTestServer(engine);
    operator = new Operator(server);
  });
  afterAll(() => server?.close());

  const balance = (key: string) => server.rest('GET', '/api/v1/wallet/balance', { key });

  it.each([
    ['live', /^sk_live_[A-Za-z0-9_-]{43}$/],
    ['test', /^sk_test_[A-Za-z0-9_-]{43}$/],
    ['operator', /^sk_admin_[A-Za-z0-9_-]{43}$/],
  ])('of kind %s are issued, shown once and stored as SHA-256 only', async (kind, format) => {
    const { teamId } = await server.createTeam();
    const owner = kind === 'operator' ? null : teamId;
    const { secret, apiKey } = await operator.does('createApiKey', {
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
    const listed = await operator.does('apiKeys', { teamId: owner });
    expect(listed.at(-1)).toEqual(apiKey);
    expect(JSON.stringify(listed)).not.toContain(secret);
    const [stored] = await server.query<Json>(
      "SELECT encode(hash, 'hex') AS hash FROM api_keys WHERE id = $1",
      [apiKey.id],
    );
    expect(stored.hash).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(await everythingStored()).not.toContain(secret);
  });

  it('are issued once for each Idempotency-Key, whose stored answer hides the secret', async () => {
    const { teamId } = await server.createTeam();
    const issue = () =>
      operator.ask('createApiKey', { input: { kind: 'live', teamId, name: 'A' } }, undefined, {
        'idempotency-key': 'issue',
      });
    const [first, second] = [await issue(), await issue()];
    expect(second.text).toBe(first.text);
    const { secret } = second.body.data.createApiKey;
    expect((await balance(secret)).status).toBe(200);
    expect(await everythingStored()).not.toContain(secret);
    expect(await operator.does('apiKeys', { teamId })).toHaveLength(3);
  });

  it('are issued once for an Idempotency-Key that comes many times at once', async () => {
    const { teamId } = await server.createTeam();
    const issue = () =>
      operator.ask('createApiKey', { input: { kind: 'live', teamId, name: 'A' } }, undefined, {
        'idempotency-key': `issue to ${teamId}`,
      });
    const answers = await Promise.all(Array.from({ length: 6 }, issue));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await balance(answers[0]?.body.data.createApiKey.secret)).status).toBe(200);
    expect(await operator.does('apiKeys', { teamId })).toHaveLength(3);
  });

  /** Every row of every table, as text. */
  async function everythingStored(): Promise<string> {
    const tables = await server.query<{ name: string }>(
      "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    expect(tables.length).toBeGreaterThan(6);
    const texts = await Promise.all(
      tables.map(({ name }) => server.query<Json>(`SELECT string_agg(t::text, ' ') AS text FROM ${name} t`)),
    );
    return texts.map(([row]) => row?.text).join('\n');
  }

  it('may do what their scopes say, at both doors', async () => {
    const { teamId } = await server.createTeam();
    const { secret: reader } = await server.createKey({
      kind: 'test',
      teamId,
      scopes: ['wallet:read', 'wallet:read'],
    });
    const { secret: writer } = await server.createKey({ kind: 'test', teamId, scopes: ['wallet:write'] });
    expect((await operator.does('apiKeys', { teamId })).slice(-2).map(({ scopes }: Json) => scopes)).toEqual([
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

  it.each<[string, object, Json]>([
    ['an empty name', { kind: 'live', name: '' }, { fields: ['input.name'] }],
    ['a name with a NUL', { kind: 'live', name: '\u0000' }, { fields: ['input.name'] }],
    ['a name with half a character', { kind: 'live', name: 'Key \ud83d' }, { fields: ['input.name'] }],
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
    expect(await operator.refuses('createApiKey', { input: { teamId, ...input } })).toEqual({
      message: 'Invalid request parameters',
      code: 'VALIDATION_ERROR',
      fields,
    });
    expect(await operator.does('apiKeys', { teamId })).toHaveLength(2);
  });

  it('belong to teams that exist', async () => {
    for (const teamId of [unknownTeam, 'x', '\u0000']) {
      const refusal = { message: 'Team not found', code: 'NOT_FOUND' };
      expect(await operator.refuses('createApiKey', { input: { kind: 'live', name: 'A', teamId } })).toEqual(
        refusal,
      );
      expect(await operator.refuses('apiKeys', { teamId })).toEqual(refusal);
    }
  });

  it('stop working at both doors within a second of their revocation, and only they', async () => {
    const team = await server.createTeam();
    const { id, secret } = await server.createKey({ kind: 'live', teamId: team.teamId });
    expect((await balance(secret)).status).toBe(200);
    const revoked = await operator.does('revokeApiKey', { id });
    expect(revoked).toMatchObject({ id, revokedAt: instant });
    await eventually(async () => (await balance(secret)).status === 401, 1_000);
    expect((await server.graphql('{ walletBalance { balance } }', null, secret)).status).toBe(401);
    expect((await balance(team.live)).status).toBe(200);
    expect((await operator.does('apiKeys', { teamId: team.teamId })).at(-1)).toEqual(revoked);
  });

  it('are watched until their revocation, though an earlier watch of the same key was ended twice', async () => {
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
    await operator.does('revokeApiKey', { id });
    await eventually(() => isTold);
  });

  it('are revoked once, by however many at the same time', async () => {
    const { teamId } = await server.createTeam();
    const { id } = await server.createKey({ kind: 'live', teamId });
    const answers = await Promise.all([1, 2, 3].map(() => operator.ask('revokeApiKey', { id })));
    const refusals = answers.flatMap(({ body }) => body.errors ?? []);
    expect(refusals.map(({ message, extensions }) => [message, extensions.code])).toEqual(
      Array(2).fill(['API key already revoked', 'VALIDATION_ERROR']),
    );
    expect((await operator.refuses('revokeApiKey', { id })).message).toBe('API key already revoked');
    const events = await server.query(
      "SELECT id FROM events WHERE subject_id = $1 AND type = 'api_key.revoked'",
      [id],
    );
    expect(events).toHaveLength(1);
    for (const unknown of [unknownKey, '', 'key_\u0000', teamId]) {
      expect(await operator.refuses('revokeApiKey', { id: unknown })).toEqual({
        message: 'API key not found',
        code: 'NOT_FOUND',
      });
    }
  });

  it('tell of their creation and revocation in the events of their team and mode', async () => {
    const { teamId } = await server.createTeam();
    const { apiKey } = await operator.does('createApiKey', {
      input: { kind: 'test', teamId, name: 'Told', scopes: ['flights:search'] },
    });
    const { revokedAt } = await operator.does('revokeApiKey', { id: apiKey.id });
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

  it('of operators can be revoked too, and tell no team', async () => {
    const { apiKey, secret } = await operator.does('createApiKey', {
      input: { kind: 'operator', name: 'Second' },
    });
    expect((await operator.ask('teams', {}, secret)).body.errors).toBeUndefined();
    await operator.does('revokeApiKey', { id: apiKey.id });
    await eventually(async () => (await operator.ask('teams', {}, secret)).status === 401, 1_000);
    expect(await server.query('SELECT id FROM events WHERE subject_id = $1', [apiKey.id])).toEqual([]);
  });
});

describeSeveralSessions('An API key in use while it is revoked', (engine) => {
  it('is refused as soon as it is', async () => {
    const server = await startTestServer(engine);
    onTestFinished(() => server.close());
    const held = await server.openSession();
    await server.query(`
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS
        'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END'`);
    await server.query(`
      CREATE CONSTRAINT TRIGGER slow_commit AFTER UPDATE ON api_keys DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait()`);
    await held.query('SELECT pg_advisory_lock(1)');
    const { teamId } = await server.createTeam();
    const { id, secret: key } = await server.createKey({ kind: 'live', teamId });
    const status = async () => (await server.rest('GET', '/api/v1/wallet/balance', { key })).status;
    const revoked = new Operator(server).does('revokeApiKey', { id });
    await eventually(async () => (await lockWaits(server)) > 0);
    expect(await status()).toBe(200);
    await held.query('SELECT pg_advisory_unlock(1)');
    await revoked;
    expect(await status()).toBe(401);
  });
});
