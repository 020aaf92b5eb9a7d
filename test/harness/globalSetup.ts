import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Sequelize } from 'sequelize-typescript';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/infrastructure/database/database.ts';
import { openEmbedded } from '../../src/infrastructure/database/embedded.ts';
import { migrateUp } from '../../src/infrastructure/database/migrations.ts';
import { migrationsFolder } from '../../src/store.ts';
import { scratchFolder, sweepScratch } from './scratch.ts';
import { silentLog } from './silentLog.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what the files of this run share; it goes when they are done. */
    runFolder: string;
    /** Path of a migrated, empty embedded store, with the dump of one before its migrations (`new.tar`). */
    embeddedTemplate: string;
    /** How CREATE DATABASE copies a migrated, empty database of the test server, or null without one. */
    serverTemplate: string | null;
  }
}

const { CI, TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;

/** Migrates once for all files: each server of a test starts from a copy. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (CI === 'true' && !(TEST_DATABASE_URL && TEST_REDIS_URL)) {
    throw new Error('in CI nothing may be skipped: TEST_DATABASE_URL and TEST_REDIS_URL must be set');
  }
  sweepScratch();
  await mkdir(scratchFolder, { recursive: true });
  project.provide('runFolder', scratchFolder);
  project.provide('embeddedTemplate', await embeddedTemplate());
  const serverTemplate =
    TEST_DATABASE_URL && TEST_REDIS_URL ? await makeServerTemplate(TEST_DATABASE_URL) : null;
  project.provide('serverTemplate', serverTemplate?.copying ?? null);
  if (!serverTemplate) {
    process.stderr.write(
      '\nSkipped: the suites on PostgreSQL and Redis (set TEST_DATABASE_URL and TEST_REDIS_URL).\n\n',
    );
  }
  return async () => {
    if (serverTemplate && TEST_DATABASE_URL)
      await administer(TEST_DATABASE_URL, `DROP DATABASE "${serverTemplate.name}"`);
    await rm(scratchFolder, { recursive: true, force: true });
  };
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Kept from run to run under a name that changes with whatever it is made by: making it takes seconds. */
async function embeddedTemplate(): Promise<string> {
  const makers = ['src/infrastructure/database', 'migrations'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  const hash = createHash('sha256');
  for (const path of [...makers, 'test/harness/globalSetup.ts', 'package-lock.json'])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  const stores = join(root, 'node_modules/.cache/embarque');
  const path = join(stores, `store-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(path)) return path;
  await mkdir(stores, { recursive: true });
  const draft = await mkdtemp(`${path}-`);
  await makeStore(draft);
  try {
    await rename(draft, path);
  } catch (error) {
    // Another run was faster.
    if (!existsSync(path)) throw error;
    await rm(draft, { recursive: true });
  }
  return path;
}

async function makeStore(path: string): Promise<void> {
  const made = await openEmbedded({ dataDir: path });
  await writeFile(join(path, 'new.tar'), Buffer.from(await (await made.dump()).arrayBuffer()));
  await made.close();
  const settings = {
    DATABASE_URL: undefined,
    DATABASE_POOL_SIZE: 1,
    DATABASE_POOL_TIMEOUT: 60_000,
    DATA_DIR: path,
  };
  const database = await openDatabase(settings, [], silentLog);
  await migrateUp(database.sequelize, migrationsFolder, false, silentLog);
  // Two thirds of the files that every server of a test would copy and delete: the product connects to neither.
  for (const name of ['template0', 'template1']) {
    await database.sequelize.query(`UPDATE pg_database SET datistemplate = false WHERE datname = '${name}'`);
    await database.sequelize.query(`DROP DATABASE ${name}`);
  }
  await database.close();
}

async function makeServerTemplate(url: string): Promise<{ name: string; copying: string }> {
  const name = `embarque_template_${process.pid}`;
  await administer(url, `DROP DATABASE IF EXISTS "${name}"`);
  await administer(url, `CREATE DATABASE "${name}"`);
  const target = new URL(url);
  target.pathname = `/${name}`;
  const sequelize = new Sequelize(target.href, { dialect: 'postgres', logging: false });
  await migrateUp(sequelize, migrationsFolder, true, silentLog);
  const version = await sequelize.databaseVersion();
  await sequelize.close();
  // What a session has to know of the catalogue is written down by the first one, and copied with the rest.
  await administer(target.href, 'SELECT 1');
  // From 15 on PostgreSQL writes copies to its log, block by block, unless told otherwise: four times the work.
  const strategy = Number.parseInt(version, 10) < 15 ? '' : 'STRATEGY file_copy';
  return { name, copying: `TEMPLATE "${name}" ${strategy}` };
}

async function administer(url: string, sql: string): Promise<void> {
  const sequelize = new Sequelize(url, { dialect: 'postgres', logging: false });
  try {
    await sequelize.query(sql);
  } finally {
    await sequelize.close();
  }
}
