import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sequelize } from 'sequelize-typescript';
import type { TestProject } from 'vitest/node';
import { openEmbedded } from '../../src/infrastructure/database/embedded.ts';
import { migrateUp } from '../../src/infrastructure/database/migrations.ts';
import { migrationsFolder } from '../../src/main.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a dump of a migrated, empty embedded store. */
    embeddedTemplate: string;
    /** Name of a migrated, empty database on the test server, or null without one. */
    serverTemplate: string | null;
  }
}

const { CI, TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;

/** Migrates once for all files: each server of a test starts from a copy. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (CI === 'true' && !(TEST_DATABASE_URL && TEST_REDIS_URL)) {
    throw new Error('in CI nothing may be skipped: TEST_DATABASE_URL and TEST_REDIS_URL must be set');
  }
  const folder = await mkdtemp(join(tmpdir(), 'embarque-tests-'));
  project.provide('embeddedTemplate', await makeEmbeddedTemplate(join(folder, 'template.tar')));
  const serverTemplate =
    TEST_DATABASE_URL && TEST_REDIS_URL ? await makeServerTemplate(TEST_DATABASE_URL) : null;
  project.provide('serverTemplate', serverTemplate);
  if (!serverTemplate) {
    process.stderr.write(
      '\nSkipped: the suites on PostgreSQL and Redis (set TEST_DATABASE_URL and TEST_REDIS_URL).\n\n',
    );
  }
  return async () => {
    if (serverTemplate && TEST_DATABASE_URL)
      await administer(TEST_DATABASE_URL, `DROP DATABASE "${serverTemplate}"`);
    await rm(folder, { recursive: true, force: true });
  };
}

async function makeEmbeddedTemplate(path: string): Promise<string> {
  const store = await openEmbedded({ dataDir: 'memory' });
  const sequelize = new Sequelize('postgres', 'postgres', '', {
    dialect: 'postgres',
    logging: false,
    pool: { max: 1, min: 1 },
    dialectOptions: { stream: store.stream },
  });
  await migrateUp(sequelize, migrationsFolder, false);
  const dump = await store.dump();
  await writeFile(path, Buffer.from(await dump.arrayBuffer()));
  await sequelize.close();
  await store.close();
  return path;
}

async function makeServerTemplate(url: string): Promise<string> {
  const name = `embarque_template_${process.pid}`;
  await administer(url, `DROP DATABASE IF EXISTS "${name}"`);
  await administer(url, `CREATE DATABASE "${name}"`);
  const target = new URL(url);
  target.pathname = `/${name}`;
  const sequelize = new Sequelize(target.href, { dialect: 'postgres', logging: false });
  await migrateUp(sequelize, migrationsFolder, true);
  await sequelize.close();
  return name;
}

async function administer(url: string, sql: string): Promise<void> {
  const sequelize = new Sequelize(url, { dialect: 'postgres', logging: false });
  try {
    await sequelize.query(sql);
  } finally {
    await sequelize.close();
  }
}
