import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/infrastructure/database/database.ts';
import { createVault, markLength, markOf } from '../../src/infrastructure/secrets/vault.ts';
import type { RunningServer } from '../../src/server.ts';
import { startServer } from '../../src/server.ts';
import type { Build } from '../harness/builtServer.ts';
import { allocateStore, buildServer } from '../harness/builtServer.ts';
import type { Json } from '../harness/client.ts';
import { eventually, graphqlDoor } from '../harness/client.ts';
import type { Engine } from '../harness/engines.ts';
import { describeEngines, describeOneEngine, describeSeveralSessions, embedded } from '../harness/engines.ts';
import { operations } from '../harness/operator.ts';
import { silentLog } from '../harness/silentLog.ts';
import { newEncryptionKey } from './sealedContent.ts';

type Store = Awaited<ReturnType<typeof allocateStore>>;

let build: Build;
beforeAll(async () => {
  build = await buildServer();
});
afterAll(() => build?.remove());

const taxId = '52998224725';

/** An empty store for one test. */
async function storeOn(engine: Engine): Promise<Store> {
  const store = await allocateStore(engine);
  onTestFinished(() => store.release());
  return store;
}

/** A server in this process: it begins far sooner than one of its own. */
async function start({ environment }: Store, settings: Record<string, string> = {}): Promise<RunningServer> {
  const server = await startServer(readSettings({ ...environment, ...settings }), { log: silentLog });
  onTestFinished(() => server.close());
  return server;
}

const startWith = (store: Store, key: string, ...others: string[]) =>
  start(store, { ENCRYPTION_KEY: key, ENCRYPTION_KEY_PREVIOUS: others.join(',') });

/** Rows of a store, which no server has when it is the embedded one. */
async function rowsOf<Row extends object>({ environment }: Store, sql: string, bind: unknown[] = []) {
  const database = await openDatabase(readSettings(environment), [], silentLog);
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
  const answers = isEmbedded ? 5_000 : 30_000;

  it('leaves a store that opens, and is ended by the next', async () => {
    const store = await storeOn(engine);
    /** How many of the answers have the mark of which key. */
    const marks = () =>
      rowsOf<{ mark: string; count: number }>(
        store,
        "SELECT left(outcome, 9) AS mark, count(*)::integer AS count FROM idempotency_keys WHERE scope = 'bulk' GROUP BY 1",
      );
    const [former, present] = [newEncryptionKey(), newEncryptionKey()];
    // On the embedded store it is the key of DATA_DIR that is replaced.
    const sealing: Record<string, string> = isEmbedded ? {} : { ENCRYPTION_KEY: former };
    const settings: Record<string, string> = isEmbedded
      ? {}
      : { ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former };
    const options = isEmbedded ? ['--new-key'] : [];
    const first = await start(store, sealing);
    const { id } = await does(first.url, store, 'createTeam', { input: { name: 'Sealed', taxId } });
    await first.close();
    const formerKey = isEmbedded ? ((await keyFileOf(store))[0] as string) : former;
    const expectReadable = async (keys: Record<string, string>) => {
      const server = await start(store, keys);
      expect(await does(server.url, store, 'team', { id })).toMatchObject({ taxId });
      await server.close();
    };
    await rowsOf(
      store,
      `INSERT INTO idempotency_keys (scope, key, fingerprint, outcome, created_at)
       SELECT 'bulk', n::text, '', $1, now() FROM generate_series(1, ${answers}) n`,
      [createVault(formerKey).seal('{"value":1}')],
    );
    if (!isEmbedded) await expectReadable(settings);
    // The embedded store has room for nobody else who could see that the answers are under way: they take long there.
    if (isEmbedded)
      await rowsOf(
        store,
        `CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN PERFORM count(*) FROM generate_series(1, 20000); RETURN new; END';
         CREATE TRIGGER taking_long BEFORE UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION take_long()`,
      );

    const resealing = build.startResealing({ ...store.environment, ...settings }, ...options);
    await eventually(() => resealing.output.stdout.includes('travellers of bookings'));
    if (!isEmbedded) await eventually(async () => (await marks()).length === 2);
    resealing.process.kill('SIGKILL');
    expect(await resealing.exited).toEqual({ code: null, signal: 'SIGKILL' });
    if (isEmbedded)
      expect(await keyFileOf(store)).toEqual([expect.not.stringContaining(formerKey), formerKey]);
    else expect(await marks()).toHaveLength(2);
    await rowsOf(store, 'DROP FUNCTION IF EXISTS take_long CASCADE');
    await expectReadable(settings);

    const { code, stdout } = await build.resealKeys({ ...store.environment, ...settings }, ...options);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${answers + 1} values, all sealed with`)]);
    const looked = stdout.match(/(?<=answers .*: )\d+(?= looked at)/g) ?? [];
    expect(looked.map(Number)).toEqual(isEmbedded ? [] : [10_000, 20_000, 30_000]);
    const [key = '', ...others] = isEmbedded ? await keyFileOf(store) : [present];
    expect(others).toEqual([]);
    expect(key).not.toBe(formerKey);
    expect(await marks()).toEqual([{ mark: markOf(createVault(key).keyId), count: answers }]);
    await expectReadable(isEmbedded ? {} : { ENCRYPTION_KEY: present });
  });
});

describe('keys:reseal of the key in DATA_DIR', () => {
  it('is refused while the server runs', async () => {
    const store = await storeOn(embedded);
    const server = await start(store);
    expect(await build.resealKeys(store.environment, '--new-key')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Not resealed: DATA_DIR .* is in use by another process/),
    });
    expect(await keyFileOf(store)).toHaveLength(1);
    await server.close();
  });

  it('keeps the key unless a new one is asked for', async () => {
    const store = await storeOn(embedded);
    await (await start(store)).close();
    const kept = await keyFileOf(store);
    expect(await build.resealKeys(store.environment)).toMatchObject({ code: 0 });
    expect(await keyFileOf(store)).toEqual(kept);
  });
});

describeOneEngine('An encryption key with which something is sealed', (engine) => {
  const [former, present] = [newEncryptionKey(), newEncryptionKey()];

  it('is asked for wherever that stands', async () => {
    const store = await storeOn(engine);
    const first = await startWith(store, former);
    const ids: string[] = [];
    for (const name of ['Oldest', 'Other', 'Newest'])
      ids.push((await does(first.url, store, 'createTeam', { input: { name, taxId } })).id);
    await first.close();
    const second = await startWith(store, present, former);
    for (const id of [ids[0], ids[2]]) await does(second.url, store, 'updateTeam', { id, input: { taxId } });
    await second.close();
    const id = createVault(former).keyId;
    await expect(startWith(store, present)).rejects.toThrow(`another key (id ${id})`);
    // As the build before left it.
    await rowsOf(
      store,
      `UPDATE teams SET sealed_tax_id = substr(sealed_tax_id, ${markLength + 1}) WHERE name = 'Other'`,
    );
    await expect(startWith(store, present)).rejects.toThrow(`another key (id ${id})`);
    const third = await startWith(store, present, former);
    await does(third.url, store, 'updateTeam', { id: ids[1], input: { taxId } });
    await third.close();
    await (await startWith(store, present)).close();
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
    const store = await storeOn(engine);
    const server = await startWith(store, present);
    await does(server.url, store, 'createTeam', { input: { name: 'Sealed', taxId } });
    await server.close();
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
  const [former, present] = [newEncryptionKey(), newEncryptionKey()];

  it('read at each step what the others write', async () => {
    const store = await storeOn(engine);
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
    const rolled = async (before: RunningServer[], ...keys: [string, ...string[]]) => {
      const after: typeof before = [];
      for (const [index, server] of before.entries()) {
        await server.close();
        after.push(await startWith(store, ...keys));
        const all = [...after, ...before.slice(index + 1)];
        for (const writer of all) await expectShared(writer, all);
      }
      return after;
    };
    let servers = [await startWith(store, former), await startWith(store, former)];
    servers = await rolled(servers, former, present);
    servers = await rolled(servers, present, former);
    const resealed = await build.resealKeys({
      ...store.environment,
      ENCRYPTION_KEY: present,
      ENCRYPTION_KEY_PREVIOUS: former,
    });
    expect(resealed).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is left') });
    servers = await rolled(servers, present);
    for (const server of servers) await server.close();
  });

  it('are refused while one that was forgotten goes on sealing with the former key', async () => {
    const store = await storeOn(engine);
    const forgotten = await startWith(store, former, present);
    await (await startWith(store, present, former)).close();
    const settings = { ...store.environment, ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former };
    expect(await build.resealKeys(settings)).toMatchObject({ code: 0 });
    await does(forgotten.url, store, 'createTeam', { input: { name: 'Late', taxId } });
    await expect(startWith(store, present)).rejects.toThrow('another key');
    await forgotten.close();
    expect(await build.resealKeys(settings)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('tax ids of teams: 1 sealed anew'),
    });
    await (await startWith(store, present)).close();
  });
});
