import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createVault } from '../../src/infrastructure/secrets/vault.ts';
import type { Build } from '../harness/builtServer.ts';
import { buildServer } from '../harness/builtServer.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { Operator } from '../harness/operator.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer, sweepingOften } from '../harness/server.ts';
import { newEncryptionKey } from './sealedContent.ts';

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

const taxId = '52998224725';
const [own, other] = [newEncryptionKey(), newEncryptionKey()];

describeSeveralSessions('The key of a process that runs', (engine) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer(engine, {
      settings: { ...sweepingOften, ROLES: 'api', ENCRYPTION_KEY: own, ENCRYPTION_KEY_PREVIOUS: other },
    });
  });
  afterEach(() => server.close());

  const environmentWith = (key: string, ...others: string[]) => ({
    ...server.environment,
    ENCRYPTION_KEY: key,
    ENCRYPTION_KEY_PREVIOUS: others.join(','),
  });
  const createTeam = (name: string) => new Operator(server).does('createTeam', { input: { name, taxId } });
  const isNoted = (key: string) => async () => {
    const noted = await server.query<{ id: string }>('SELECT id FROM encryption_keys');
    return noted.some(({ id }) => id === createVault(key).keyId);
  };

  it('is written down anew after a start without it, which found nothing sealed with it', async () => {
    const stranger = await build.start(environmentWith(other));
    await eventually(isNoted(own));
    await stranger.stop();
    expect(await build.resealKeys(environmentWith(own, other))).toMatchObject({ code: 0 });
  });

  it('is asked for when it goes on sealing after keys:reseal is done with it, wherever that stands', async () => {
    const present = await build.start(environmentWith(other, own));
    await createTeam('Before');
    expect(await build.resealKeys(environmentWith(other, own))).toMatchObject({ code: 0 });
    await createTeam('Late');
    const newest = createVault(other).seal(taxId);
    await server.query("UPDATE teams SET sealed_tax_id = $1 WHERE name = 'Before'", [newest]);
    await server.query(
      `INSERT INTO teams (id, name, sealed_tax_id, markup_percent, fee_cents, created_at, updated_at)
       SELECT 'team_zzz', 'Newest', $1, markup_percent, fee_cents, created_at, updated_at FROM teams WHERE name = 'Late'`,
      [newest],
    );
    await eventually(isNoted(own));
    await present.stop();
    await expect(build.start(environmentWith(other))).rejects.toThrow(
      `another key (id ${createVault(own).keyId})`,
    );
  });
});

describeSeveralSessions('The key of a process that was forgotten', (engine) => {
  let server: TestServer;
  beforeEach(async () => {
    // It writes its key down every minute: within this test, never.
    server = await startTestServer(engine, {
      settings: { ROLES: 'api', SWEEP_INTERVAL: '1h', ENCRYPTION_KEY: own, ENCRYPTION_KEY_PREVIOUS: other },
    });
  });
  afterEach(() => server.close());

  const others = (...former: string[]) => ({
    ...server.environment,
    ENCRYPTION_KEY: other,
    ENCRYPTION_KEY_PREVIOUS: former.join(','),
  });

  const forgetting: [string, () => Promise<void>][] = [
    [
      'keys:reseal was done',
      async () => {
        expect(await build.resealKeys(others(own))).toMatchObject({ code: 0 });
      },
    ],
    [
      'another started without it',
      async () => {
        await (await build.start(others())).stop();
      },
    ],
  ];

  it.each(forgetting)(
    'is asked for when it sealed one value among others and ended at once: %s',
    async (_, forget) => {
      const operator = new Operator(server);
      const ids: string[] = [];
      for (const name of ['First', 'Middle', 'Last'])
        ids.push((await operator.does('createTeam', { input: { name } })).id);
      const sealed = createVault(other).seal(taxId);
      await server.query('UPDATE teams SET sealed_tax_id = $1 WHERE id = ANY ($2)', [
        sealed,
        [ids[0], ids[2]],
      ]);
      await (await build.start(others(own))).stop();
      await forget();

      const id = ids[1];
      await operator.does('updateTeam', { id, input: { taxId } });
      await server.running.close();
      await expect(build.start(others())).rejects.toThrow(`another key (id ${createVault(own).keyId})`);
      expect(await build.resealKeys(others(own))).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('tax ids of teams: 1 sealed anew'),
      });
      await server.restart({ ENCRYPTION_KEY: other, ENCRYPTION_KEY_PREVIOUS: '' });
      expect(await operator.does('team', { id })).toMatchObject({ taxId });
    },
  );
});
