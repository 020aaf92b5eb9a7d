import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, inject } from 'vitest';

/** Migrated, empty, and nobody else's. */
export interface Place {
  readonly settings: Record<string, string>;
  release(): Promise<void>;
}

/** Where a server of the tests keeps its data and signals. */
export interface Engine {
  readonly name: 'embedded' | 'PostgreSQL and Redis';
  allocate(): Promise<Place>;
}

export const embedded: Engine = {
  name: 'embedded',
  async allocate() {
    const folder = await mkdtemp(join(tmpdir(), 'embarque-data-'));
    const dataDir = join(folder, 'data');
    cpSync(join(inject('embeddedTemplate'), 'postgres'), join(dataDir, 'postgres'), { recursive: true });
    return {
      settings: { DATA_DIR: dataDir },
      release: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const real: Engine = {
  name: 'PostgreSQL and Redis',
  async allocate() {
    const name = `embarque_test_${process.pid}_${randomBytes(6).toString('hex')}`;
    await administer(`CREATE DATABASE "${name}" ${inject('serverTemplate')}`);
    const url = new URL(process.env.TEST_DATABASE_URL ?? '');
    url.pathname = `/${name}`;
    return {
      settings: {
        DATABASE_URL: url.href,
        REDIS_URL: process.env.TEST_REDIS_URL ?? '',
        PAYMENT_PROVIDER: 'simulated',
        FLIGHT_SUPPLIERS: 'simulated',
        EXCHANGE_RATES: 'table',
        ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      },
      release: () => administer(`DROP DATABASE "${name}" WITH (FORCE)`),
    };
  },
};

/** The engines that this machine has: the embedded one always, PostgreSQL and Redis where they are set. */
export function availableEngines(): Engine[] {
  return inject('serverTemplate') ? [embedded, real] : [embedded];
}

/** PostgreSQL and Redis, where they are set. */
export const realEngine = (): Engine | undefined => availableEngines().find((engine) => engine === real);

/** The same tests on every engine that this machine has. */
export function describeEngines(title: string, tests: (engine: Engine) => void): void {
  for (const engine of availableEngines()) describe(`${title} (${engine.name})`, () => tests(engine));
}

/**
 * Which of two doors, or transports, tests of behaviour go through on this engine: both where there is no other. What a door
 * does by itself and what an engine does by itself each show in one of the two pairs; suites of the doors themselves go
 * through both on each engine.
 */
export function doorsOf<Door>(engine: Engine, doors: readonly [Door, Door]): readonly Door[] {
  const [one, other] = doors;
  if (availableEngines().length === 1) return doors;
  return engine === real ? [one] : [other];
}

/**
 * Tests of what no engine has a part in, such as refusals before anything is stored, or the protocols of connections: on
 * one, the most like a deployment that is here.
 */
export function describeOneEngine(title: string, tests: (engine: Engine) => void): void {
  const engine = availableEngines().at(-1) ?? embedded;
  describe(`${title} (${engine.name})`, () => tests(engine));
}

/** Tests of what takes several database sessions, of which the embedded store has one. Skipped without PostgreSQL. */
export function describeSeveralSessions(title: string, tests: (engine: Engine) => void): void {
  describe.skipIf(!realEngine())(`${title} (${real.name})`, () => tests(real));
}
