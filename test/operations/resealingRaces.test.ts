import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createVault } from '../../src/infrastructure/secrets/vault.ts';
import type { Build } from '../harness/builtServer.ts';
import { buildServer } from '../harness/builtServer.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { Operator } from '../harness/operator.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { newEncryptionKey } from './sealedContent.ts';

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

describeSeveralSessions('keys:reseal beside processes that write', (engine) => {
  const [former, present] = [newEncryptionKey(), newEncryptionKey()];
  const [taxId, other] = ['52998224725', '11144477735'];
  let server: TestServer;
  let operator: Operator;
  let session: pg.Client;
  let id: string;

  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: { WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true', WEBHOOK_REACHABILITY_CHECK: 'false' },
    });
    operator = new Operator(server);
  });
  afterAll(() => server?.close());

  /** A team sealed with the former key, at a server that seals with another; and a session of somebody else's. */
  beforeEach(async () => {
    // Some test before may have left one sealed with the former key, too.
    await server.query('UPDATE teams SET sealed_tax_id = NULL');
    await server.restart({ ENCRYPTION_KEY: former, ENCRYPTION_KEY_PREVIOUS: present });
    ({ id } = await operator.does('createTeam', { input: { name: 'Sealed', taxId } }));
    await server.restart({ ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former });
    session = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await session.connect();
    await session.query('BEGIN');
  });
  afterEach(() => session.end());

  /** Whether somebody comes to wait for a lock. */
  const isWaitedFor = (longestMs = 30_000) =>
    eventually(async () => (await lockWaits(server)) > 0, longestMs).catch(() => false);

  it('keeps what is written after it has read', async () => {
    // Reading goes on, writing waits.
    await session.query('LOCK TABLE teams IN EXCLUSIVE MODE');
    const resealing = build.startResealing(server.environment);
    expect(await isWaitedFor()).toBe(true);
    const written = createVault(former).seal(other);
    await session.query('UPDATE teams SET sealed_tax_id = $2 WHERE id = $1', [id, written]);
    await session.query('COMMIT');
    expect(await resealing.exited).toMatchObject({ code: 0 });
    expect(await operator.does('team', { id })).toMatchObject({ taxId: other });
    const [row] = await server.query<{ sealed: string }>(
      'SELECT sealed_tax_id AS sealed FROM teams WHERE id = $1',
      [id],
    );
    expect(createVault(present).open(row?.sealed ?? '')).toBe(other);
  });

  it('waits for no row that is locked, and comes back to it', async () => {
    await session.query('SELECT FROM teams WHERE id = $1 FOR UPDATE', [id]);
    const resealing = build.startResealing(server.environment);
    await eventually(() => resealing.output.stdout.includes('secrets of webhooks'));
    expect(await isWaitedFor(500)).toBe(false);
    expect(resealing.process.exitCode).toBe(null);
    await session.query('COMMIT');
    expect(await resealing.exited).toMatchObject({ code: 0 });
    expect(resealing.output.stdout).toContain('tax ids of teams: 1 sealed anew');
  });

  it('counts what another command has sealed meanwhile', async () => {
    await session.query('LOCK TABLE teams IN EXCLUSIVE MODE');
    const resealing = build.startResealing(server.environment);
    expect(await isWaitedFor()).toBe(true);
    await session.query('UPDATE teams SET sealed_tax_id = $2 WHERE id = $1', [
      id,
      createVault(present).seal(taxId),
    ]);
    await session.query('COMMIT');
    expect(await resealing.exited).toMatchObject({ code: 0 });
    const [row] = await server.query<{ all: number }>(
      'SELECT count(sealed_tax_id)::integer AS all FROM teams',
    );
    expect(resealing.output.stdout).toContain(`tax ids of teams: 0 sealed anew, ${row?.all} were already\n`);
  });

  /** A team that nobody sees yet. */
  const insertSealed = (key: string) =>
    session.query(
      `INSERT INTO teams (id, name, sealed_tax_id, markup_percent, fee_cents, created_at, updated_at)
       SELECT 'team_' || gen_random_uuid(), 'Late', $1, markup_percent, fee_cents, created_at, updated_at
         FROM teams WHERE id = $2`,
      [createVault(key).seal(taxId), id],
    );

  it('awaits what is being sealed with the former key, and says that it is', async () => {
    await insertSealed(former);
    const resealing = build.startResealing(server.environment);
    expect(await isWaitedFor()).toBe(true);
    await session.query('COMMIT');
    expect(await resealing.exited).toMatchObject({ code: 1 });
    expect(resealing.output.stdout).toMatch(/\nOf the values, 1 are sealed with another key: .*\n$/);
    expect(await build.resealKeys(server.environment)).toMatchObject({ code: 0 });
  });

  it('awaits nobody who seals with the present key', async () => {
    await insertSealed(present);
    expect(await build.resealKeys(server.environment)).toMatchObject({ code: 0 });
  });

  it('leaves a start without the former key to wait for what is being sealed with it', async () => {
    const anew = createVault(present).seal(taxId);
    await server.query('UPDATE teams SET sealed_tax_id = $1 WHERE sealed_tax_id IS NOT NULL', [anew]);
    await insertSealed(former);
    const starting = Promise.allSettled([
      build.start({ ...server.environment, ENCRYPTION_KEY_PREVIOUS: '' }),
    ]);
    expect(await isWaitedFor()).toBe(true);
    await session.query('COMMIT');
    const refusal = expect.stringContaining(`another key (id ${createVault(former).keyId})`);
    expect(await starting).toMatchObject([{ reason: { message: refusal } }]);
    expect(await build.resealKeys(server.environment)).toMatchObject({ code: 0 });
  });

  it('gives way to the rotation of a webhook’s secret', async () => {
    const { test: key } = await server.createTeam();
    const { body } = await server.rest('POST', '/api/v1/webhooks', {
      key,
      body: { url: 'https://127.0.0.1:65000/hook', events: ['wallet.debit'] },
    });
    const { id: webhookId, secret } = body.data;
    const sealedNow = async () => {
      const [row] = await server.query<{ sealed: string }>(
        'SELECT sealed_secrets AS sealed FROM webhooks WHERE id = $1',
        [webhookId],
      );
      return createVault(present, [former]).open(row?.sealed ?? '');
    };
    const anew = createVault(former).seal(await sealedNow());
    await session.query('UPDATE webhooks SET sealed_secrets = $2 WHERE id = $1', [webhookId, anew]);
    const rotating = server.graphql(
      `mutation { rotateWebhookSecret(id: "${webhookId}") { secret } }`,
      null,
      key,
    );
    expect(await isWaitedFor()).toBe(true);
    await session.query('COMMIT');
    const rotated = await rotating;
    expect(rotated.body.errors).toBeUndefined();
    expect(JSON.parse(await sealedNow())).toMatchObject([
      { secret: rotated.body.data.rotateWebhookSecret.secret, until: null },
      { secret, until: expect.any(String) },
    ]);
  });
});
