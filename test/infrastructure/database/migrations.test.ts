import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  migrateDown,
  migrateUp,
  pendingMigrations,
} from '../../../src/infrastructure/database/migrations.ts';
import { migrationsFolder } from '../../../src/server.ts';
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
});
