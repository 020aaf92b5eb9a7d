import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  migrateDown,
  migrateUp,
  pendingMigrations,
} from '../../../src/infrastructure/database/migrations.ts';
import { migrationsFolder } from '../../../src/store.ts';
import { describeEngines } from '../../harness/engines.ts';
import type { TestServer } from '../../harness/server.ts';
import { startTestServer } from '../../harness/server.ts';

const shapeQuery = `
  SELECT table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, column_name`;

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
    const reverted = await migrateDown(sequelize, migrationsFolder, shared, true);
    expect(await server.query(leftoversQuery)).toEqual([]);
    const applied = await migrateUp(sequelize, migrationsFolder, shared);
    expect(applied).toEqual(reverted.reverse());
    expect(await pendingMigrations(sequelize, migrationsFolder)).toEqual([]);
    expect(await server.query(shapeQuery)).toEqual(before);
  });

  it('run once when several processes start at the same time', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    await migrateDown(sequelize, migrationsFolder, shared, true);
    const runs = shared
      ? await Promise.all([1, 2, 3].map(() => migrateUp(sequelize, migrationsFolder, shared)))
      : [await migrateUp(sequelize, migrationsFolder, shared)];
    expect(runs.filter((names) => names.length > 0)).toHaveLength(1);
  });

  it('are applied and noted together: one that ends before its note has not happened', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    const up = () => migrateUp(sequelize, migrationsFolder, shared);
    const down = () => migrateDown(sequelize, migrationsFolder, shared);

    await migrateDown(sequelize, migrationsFolder, shared, true);
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
    expect(await migrateUp(sequelize, migrationsFolder, shared)).toEqual(['017-order-notes']);
    expect(await server.query(shapeQuery)).toEqual(before);
  });

  it('take no index for made whose making failed', async () => {
    const { sequelize } = server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    const name = '028-recharges-by-status';
    while (!(await migrateDown(sequelize, migrationsFolder, shared)).includes(name));
    await server.query('CREATE INDEX recharges_by_status ON recharges (wallet_id)');
    // As CREATE INDEX CONCURRENTLY leaves it that was given up.
    await server.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'recharges_by_status'::regclass`,
    );
    await expect(migrateUp(sequelize, migrationsFolder, shared)).rejects.toThrow('recharges_by_status');
    await server.query('DROP INDEX recharges_by_status');
    expect(await migrateUp(sequelize, migrationsFolder, shared)).toContain(name);
  });

  it('need no more than one connection of the pool', async () => {
    const shared = engine.name !== 'embedded';
    await migrateDown(server.running.gateway.platform.sequelize, migrationsFolder, shared);
    await server.restart({ DATABASE_POOL_SIZE: '1' });
    expect(await pendingMigrations(server.running.gateway.platform.sequelize, migrationsFolder)).toEqual([]);
  });
});
