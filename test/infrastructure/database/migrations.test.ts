import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  migrateDown,
  migrateUp,
  pendingMigrations,
} from '../../../src/infrastructure/database/migrations.ts';
import { migrationsFolder } from '../../../src/store.ts';
import { eventually } from '../../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../../harness/engines.ts';
import { tableWaits } from '../../harness/lockWaits.ts';
import type { TestServer } from '../../harness/server.ts';
import { startTestServer } from '../../harness/server.ts';
import { silentLog } from '../../harness/silentLog.ts';

/** All that a migration makes: columns, constraints, indexes, triggers, functions, and how tables are stored. */
const shapeQuery = `
  SELECT table_name || '.' || column_name AS name,
         concat_ws(' ', data_type, is_nullable, column_default, identity_generation) AS form
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL
  SELECT conrelid::regclass || ': ' || conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL
  SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL
  SELECT tgrelid::regclass || ': ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT relname, concat_ws(' ', relkind, reloptions::text) FROM pg_class WHERE relnamespace = 'public'::regnamespace
   ORDER BY 1, 2`;

const leftoversQuery = `
  SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'migrations%'
  UNION ALL
  SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace`;

describeEngines('migrations', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server.close());

  it('go down to nothing and up again to the same schema', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    const before = await server.query(shapeQuery);
    const reverted = await migrateDown(sequelize, migrationsFolder, shared, silentLog, true);
    expect(await server.query(leftoversQuery)).toEqual([]);
    const applied = await migrateUp(sequelize, migrationsFolder, shared, silentLog);
    expect(applied).toEqual(reverted.reverse());
    expect(await pendingMigrations(sequelize, migrationsFolder)).toEqual([]);
    expect(await server.query(shapeQuery)).toEqual(before);
  });

  it('go down, each of them, to exactly what was there before it', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    await migrateDown(sequelize, migrationsFolder, shared, silentLog, true);
    // Beside the product's own, for what they import.
    const folder = await mkdtemp(join(dirname(migrationsFolder), 'migrations-so-far-'));
    try {
      const files = (await readdir(migrationsFolder)).filter((name) => /^\d{3}-.*\.[jt]s$/.test(name)).sort();
      for (const file of files) {
        const before = await server.query(shapeQuery);
        await copyFile(join(migrationsFolder, file), join(folder, file));
        const names = [file.replace(/\.[jt]s$/, '')];
        expect(await migrateUp(sequelize, folder, shared, silentLog)).toEqual(names);
        const after = await server.query(shapeQuery);
        expect(await migrateDown(sequelize, folder, shared, silentLog)).toEqual(names);
        expect(await server.query(shapeQuery), file).toEqual(before);
        await migrateUp(sequelize, folder, shared, silentLog);
        expect(await server.query(shapeQuery), file).toEqual(after);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('run once when several processes start at the same time', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    await migrateDown(sequelize, migrationsFolder, shared, silentLog, true);
    const runs = shared
      ? await Promise.all([1, 2, 3].map(() => migrateUp(sequelize, migrationsFolder, shared, silentLog)))
      : [await migrateUp(sequelize, migrationsFolder, shared, silentLog)];
    expect(runs.filter((names) => names.length > 0)).toHaveLength(1);
  });

  it('are applied and noted together: one that ends before its note has not happened', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    const up = () => migrateUp(sequelize, migrationsFolder, shared, silentLog);
    const down = () => migrateDown(sequelize, migrationsFolder, shared, silentLog);

    await migrateDown(sequelize, migrationsFolder, shared, silentLog, true);
    await server.query(`ALTER TABLE migrations ADD CONSTRAINT refused CHECK (name NOT LIKE '005-%')`);
    await expect(up()).rejects.toThrow('refused');
    await server.query('ALTER TABLE migrations DROP CONSTRAINT refused');
    expect((await up())[0]).toMatch(/^005-/);

    const [newest] = await server.query<{ name: string }>('SELECT max(name) AS name FROM migrations');
    await server.query('CREATE TABLE kept (name varchar(255) REFERENCES migrations)');
    await server.query('INSERT INTO kept VALUES ($1)', [newest?.name]);
    await expect(down()).rejects.toThrow('kept');
    await server.query('DROP TABLE kept');
    expect(await down()).toEqual([newest?.name]);
    expect(await up()).toEqual([newest?.name]);
  });

  it('go on from the store of a build that knew one by its first name', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    const before = await server.query(shapeQuery);
    await server.query(`UPDATE migrations SET name = '015-order-notes' WHERE name = '017-order-notes'`);
    expect(await migrateUp(sequelize, migrationsFolder, shared, silentLog)).toEqual(['017-order-notes']);
    expect(await server.query(shapeQuery)).toEqual(before);
  });

  it('take no index for made whose making failed', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    const name = '028-recharges-by-status';
    while (!(await migrateDown(sequelize, migrationsFolder, shared, silentLog)).includes(name));
    await server.query('CREATE INDEX recharges_by_status ON recharges (wallet_id)');
    // As CREATE INDEX CONCURRENTLY leaves it that was given up.
    await server.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'recharges_by_status'::regclass`,
    );
    await expect(migrateUp(sequelize, migrationsFolder, shared, silentLog)).rejects.toThrow(
      'recharges_by_status',
    );
    await server.query('DROP INDEX recharges_by_status');
    expect(await migrateUp(sequelize, migrationsFolder, shared, silentLog)).toContain(name);
  });

  it('need no more than one connection of the pool', async () => {
    const shared = engine.name !== 'embedded';
    await migrateDown(server.running.gateway.platform.sequelize, migrationsFolder, shared, silentLog);
    try {
      await server.restart({ DATABASE_POOL_SIZE: '1' });
      const { sequelize } = server.running.gateway.platform;
      expect(await pendingMigrations(sequelize, migrationsFolder)).toEqual([]);
    } finally {
      await server.restart({ DATABASE_POOL_SIZE: '' });
    }
  });
});

/** What a migration's file waits for when it is loaded, as for a disk that is slow. */
const loading = globalThis as { migrationLoads?: () => void };

const slowFile = `await new Promise((resolve) => { globalThis.migrationLoads = resolve; });
  export const up = (context) => context.sequelize.query('CREATE TABLE slowly_loaded ()');
  export const down = (context) => context.sequelize.query('DROP TABLE slowly_loaded');`;

describeSeveralSessions('migrations beside those who read', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server.close());

  it('wait until a table is free that is being dumped, and let others read it meanwhile', async () => {
    const { sequelize } = server.running.gateway.platform;
    const changing = '023-refunded-rests';
    while (!(await migrateDown(sequelize, migrationsFolder, true, silentLog)).includes(changing));
    const connect = async () => {
      const client = new pg.Client({ connectionString: server.environment.DATABASE_URL });
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    };
    const [session, reader] = [await connect(), await connect()];
    // As pg_dump locks every table until it ends.
    await session.query('BEGIN');
    await session.query('LOCK TABLE bookings IN ACCESS SHARE MODE');

    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const applied = migrateUp(sequelize, migrationsFolder, true, log);
    await eventually(async () => (await tableWaits(session, 'bookings')).length === 1);
    // Behind the migration, half a second at most.
    await reader.query(`SET lock_timeout = '6s'`);
    await reader.query('SELECT FROM bookings');
    const waits = eventually(() => lines.some((line) => line.includes('migration waits')), 60_000);
    await Promise.race([waits, applied]);
    const { status } = await server.rest('GET', '/api/v1/bookings', { key: server.keys.test });
    expect(status).toBe(200);
    await session.query('COMMIT');
    expect((await applied)[0]).toBe(changing);
    expect(
      lines.map((line) => JSON.parse(line)).map(({ msg, migration }) => [msg.split(':')[0], migration]),
    ).toEqual([
      ['migration waits', changing],
      ['migration goes on', changing],
    ]);
  });

  it('begin no transaction before their file is loaded: the server would end one that is idle for so long', async () => {
    const { sequelize } = server.running.gateway.platform;
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, '001-slowly-loaded.js'), slowFile);
    const applied = migrateUp(sequelize, folder, true, silentLog);
    await Promise.race([eventually(() => loading.migrationLoads !== undefined), applied]);
    const open = await server.query(
      `SELECT query FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    loading.migrationLoads?.();
    expect(await applied).toEqual(['001-slowly-loaded']);
    expect(open).toEqual([]);
  });
});
