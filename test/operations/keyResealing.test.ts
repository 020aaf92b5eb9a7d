import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/infrastructure/database/database.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { createVault, markLength, markOf } from '../../src/infrastructure/vault.ts';
import type { Build } from '../domain/crashServer.ts';
import { allocateStore, buildServer } from '../domain/crashServer.ts';
import { operations } from '../graphql/operator.ts';
import type { Json } from '../harness/client.ts';
import { eventually, graphqlDoor } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions, embedded } from '../harness/engines.ts';
import { newEncryptionKey } from './sealedContent.ts';

type Store = Awaited<ReturnType<typeof allocateStore>>;

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

const taxId = '52998224725';

/** Rows of a store, which no server has when it is the embedded one. */
async function rowsOf<Row extends object>({ environment }: Store, sql: string, bind: unknown[] = []) {
  const database = await openDatabase(readSettings(environment), [], createLog('silent'));
  try {
    return (await database.sequelize.query(sql, { bind }))[0] as Row[];
  } finally {
    await database.close();
  }
}

/** What an operator does at a server. */
async function does(url: string, { keys }: Store, name: keyof typeof operations, variables: object) {
  const { body } = await graphqlDoor(url, operations[name], variables, keys.operator);
  expect(body.errors).toBeUndefined();
  return body.data?.[name] as Json;
}

const keyFileOf = async ({ environment }: Store) =>
  (await readFile(join(environment.DATA_DIR ?? '', 'encryption.key'), 'utf8')).trim().split('\n');

describeEngines('keys:reseal that is killed', (engine) => {
  const isEmbedded = engine.name === 'embedded';
  const answers = 30_000;
  let store: Store;
  beforeAll(async () => {
    store = await allocateStore(engine);
  });
  afterAll(() => store?.release());

  /** How many of the answers have the mark of which key. */
  const marks = () =>
    rowsOf<{ mark: string; count: number }>(
      store,
      "SELECT left(outcome, 9) AS mark, count(*)::integer AS count FROM idempotency_keys WHERE scope = 'bulk' GROUP BY 1",
    );

  it('leaves a store that opens, and is ended by the next', async () => {
    const [former, present] = [newEncryptionKey(), newEncryptionKey()];
    // On the embedded store it is the key of DATA_DIR that is replaced.
    const sealing: Record<string, string> = isEmbedded ? {} : { ENCRYPTION_KEY: former };
    const settings: Record<string, string> = isEmbedded
      ? {}
      : { ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former };
    const options = isEmbedded ? ['--new-key'] : [];
    const first = await build.start({ ...store.environment, ...sealing });
    const { id } = await does(first.url, store, 'createTeam', { input: { name: 'Sealed', taxId } });
    await first.stop();
    const formerKey = isEmbedded ? ((await keyFileOf(store))[0] as string) : former;
    const expectReadable = async (keys: Record<string, string>) => {
      const server = await build.start({ ...store.environment, ...keys });
      expect(await does(server.url, store, 'team', { id })).toMatchObject({ taxId });
      await server.stop();
    };
    await rowsOf(
      store,
      `INSERT INTO idempotency_keys (scope, key, fingerprint, outcome, created_at)
       SELECT 'bulk', n::text, '', $1, now() FROM generate_series(1, ${answers}) n`,
      [createVault(formerKey).seal('{"value":1}')],
    );
    if (!isEmbedded) await expectReadable(settings);

    let midst = 0;
    for (const afterMs of [50, 250]) {
      const resealing = build.startResealing({ ...store.environment, ...settings }, ...options);
      await eventually(() => resealing.output.stdout.includes('travellers of bookings'));
      await delay(afterMs);
      resealing.process.kill('SIGKILL');
      expect(await resealing.exited).toEqual({ code: null, signal: 'SIGKILL' });
      if ((await marks()).length === 2) midst += 1;
      if (isEmbedded)
        expect(await keyFileOf(store)).toEqual([expect.not.stringContaining(formerKey), formerKey]);
      await expectReadable(settings);
    }
    expect(midst).toBeGreaterThan(0);

    const { code, stdout } = await build.resealKeys({ ...store.environment, ...settings }, ...options);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${answers + 1} values, all sealed with`)]);
    const [key = '', ...others] = isEmbedded ? await keyFileOf(store) : [present];
    expect(others).toEqual([]);
    expect(key).not.toBe(formerKey);
    expect(await marks()).toEqual([{ mark: markOf(createVault(key).keyId), count: answers }]);
    await expectReadable(isEmbedded ? {} : { ENCRYPTION_KEY: present });
  }, 180_000);
});

describe('keys:reseal of the key in DATA_DIR', () => {
  let store: Store;
  beforeEach(async () => {
    store = await allocateStore(embedded);
  });
  afterEach(() => store.release());

  it('is refused while the server runs', async () => {
    const server = await build.start(store.environment);
    expect(await build.resealKeys(store.environment, '--new-key')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Not resealed: DATA_DIR .* is in use by another process/),
    });
    expect(await keyFileOf(store)).toHaveLength(1);
    await server.stop();
  });

  it('keeps the key unless a new one is asked for', async () => {
    await (await build.start(store.environment)).stop();
    const kept = await keyFileOf(store);
    expect(await build.resealKeys(store.environment)).toMatchObject({ code: 0 });
    expect(await keyFileOf(store)).toEqual(kept);
  });
});

describeEngines('An encryption key with which something is sealed', (engine) => {
  const [former, present] = [newEncryptionKey(), newEncryptionKey()];
  let store: Store;
  beforeAll(async () => {
    store = await allocateStore(engine);
  });
  afterAll(() => store?.release());

  const startWith = (key: string, ...others: string[]) =>
    build.start({
      ...store.environment,
      ENCRYPTION_KEY: key,
      ENCRYPTION_KEY_PREVIOUS: others.join(','),
    });

  it('is asked for wherever that stands', async () => {
    const first = await startWith(former);
    const ids: string[] = [];
    for (const name of ['Oldest', 'Other', 'Newest'])
      ids.push((await does(first.url, store, 'createTeam', { input: { name, taxId } })).id);
    await first.stop();
    const second = await startWith(present, former);
    for (const id of [ids[0], ids[2]]) await does(second.url, store, 'updateTeam', { id, input: { taxId } });
    await second.stop();
    const id = createVault(former).keyId;
    await expect(startWith(present)).rejects.toThrow(`another key (id ${id})`);
    // As the build before left it.
    await rowsOf(
      store,
      `UPDATE teams SET sealed_tax_id = substr(sealed_tax_id, ${markLength + 1}) WHERE name = 'Other'`,
    );
    await expect(startWith(present)).rejects.toThrow(`another key (id ${id})`);
    const third = await startWith(present, former);
    await does(third.url, store, 'updateTeam', { id: ids[1], input: { taxId } });
    await third.stop();
    await (await startWith(present)).stop();
  });

  const refusals: [string, Record<string, string>, string[], RegExp][] = [
    [
      'a key that no process has had',
      { ENCRYPTION_KEY: newEncryptionKey(), ENCRYPTION_KEY_PREVIOUS: present },
      [],
      /no process has been started with this ENCRYPTION_KEY yet/,
    ],
    [
      'no former key',
      { ENCRYPTION_KEY: newEncryptionKey() },
      [],
      /stored secrets were sealed with another key \(id /,
    ],
    ['a key that is a setting', {}, ['--new-key'], /--new-key is for the key that is kept in DATA_DIR/],
    ['another option', {}, ['--help'], /there is no option but --new-key/],
  ];

  it('stays when keys:reseal is given what it cannot work with', async () => {
    const sealed = () =>
      rowsOf<{ text: string }>(store, 'SELECT sealed_tax_id AS text FROM teams ORDER BY id');
    const before = await sealed();
    for (const [what, keys, options, reason] of refusals) {
      const environment = { ...store.environment, ENCRYPTION_KEY: present, ...keys };
      const { code, stdout, stderr } = await build.resealKeys(environment, ...options);
      expect([what, code, stdout, stderr]).toEqual([what, 2, '', expect.stringMatching(reason)]);
      expect(stderr).toMatch(/^Not resealed: .*\n$/);
    }
    expect(await sealed()).toEqual(before);
  });
});

describeSeveralSessions('Processes that get another encryption key one by one', (engine) => {
  let store: Store;
  const [former, present] = [newEncryptionKey(), newEncryptionKey()];
  const startWith = (key: string, ...others: string[]) =>
    build.start({
      ...store.environment,
      WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      WEBHOOK_REACHABILITY_CHECK: 'false',
      ENCRYPTION_KEY: key,
      ENCRYPTION_KEY_PREVIOUS: others.join(','),
    });
  beforeAll(async () => {
    store = await allocateStore(engine);
  });
  afterAll(() => store?.release());

  it('read at each step what the others write', async () => {
    let number = 0;
    /** What the writer seals, among it a kept answer, is read and repeated by each reader. */
    const expectShared = async (writer: { url: string }, readers: { url: string }[]) => {
      number += 1;
      const headers = { 'idempotency-key': `shared ${number}` };
      const input = { name: `Team ${number}`, taxId };
      const create = ({ url }: { url: string }) =>
        graphqlDoor(url, operations.createTeam, { input }, store.keys.operator, headers);
      const { body, text } = await create(writer);
      for (const reader of readers) {
        expect(await does(reader.url, store, 'team', { id: body.data?.createTeam.id })).toMatchObject({
          taxId,
        });
        expect((await create(reader)).text).toBe(text);
      }
    };
    const rolled = async (
      before: Awaited<ReturnType<typeof startWith>>[],
      key: string,
      ...others: string[]
    ) => {
      const after: typeof before = [];
      for (const [index, server] of before.entries()) {
        await server.stop();
        after.push(await startWith(key, ...others));
        const all = [...after, ...before.slice(index + 1)];
        for (const writer of all) await expectShared(writer, all);
      }
      return after;
    };
    let servers = [await startWith(former), await startWith(former)];
    servers = await rolled(servers, former, present);
    servers = await rolled(servers, present, former);
    const resealed = await build.resealKeys({
      ...store.environment,
      ENCRYPTION_KEY: present,
      ENCRYPTION_KEY_PREVIOUS: former,
    });
    expect(resealed).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is left') });
    servers = await rolled(servers, present);
    for (const server of servers) await server.stop();
  }, 120_000);

  it('are refused while one that was forgotten goes on sealing with the former key', async () => {
    const forgotten = await startWith(former, present);
    const settings = { ...store.environment, ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former };
    expect(await build.resealKeys(settings)).toMatchObject({ code: 0 });
    await does(forgotten.url, store, 'createTeam', { input: { name: 'Late', taxId } });
    await expect(startWith(present)).rejects.toThrow('another key');
    await forgotten.stop();
    expect(await build.resealKeys(settings)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('tax ids of teams: 1 sealed anew'),
    });
    await (await startWith(present)).stop();
  });
});
