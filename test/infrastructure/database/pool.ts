import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Sequelize } from 'sequelize';
import { inject } from 'vitest';
import { type EmbeddedPostgres, openEmbedded } from '../../../src/infrastructure/database/embedded.ts';
import { transactionContext } from '../../../src/infrastructure/database/transactionContext.ts';

Sequelize.useCLS(transactionContext as never);

/** A pool of one connection over the embedded store, as the product opens it. */
export function poolOver(embedded: EmbeddedPostgres): Sequelize {
  return new Sequelize('postgres', 'postgres', '', {
    dialect: 'postgres',
    logging: false,
    pool: { min: 0, max: 1, idle: 1_000_000 },
    dialectOptions: { stream: embedded.stream },
  });
}

/** An empty store to start others from: making one takes several times as long, so that all workers have the same. */
export const emptyStore = async (): Promise<Blob> =>
  new Blob([await readFile(join(inject('embeddedTemplate'), 'new.tar'))]);

export interface TestDatabase {
  name: string;
  sequelize: Sequelize;
  close(): Promise<void>;
}

/** The stores that every behaviour must hold on: the embedded one, and a server when TEST_DATABASE_URL names one. */
export const testDatabases: { name: string; open(): Promise<TestDatabase> }[] = [
  { name: 'embedded', open: openEmbeddedDatabase },
  ...(process.env.TEST_DATABASE_URL
    ? [{ name: 'server', open: () => openServerDatabase(process.env.TEST_DATABASE_URL as string) }]
    : []),
];

async function openEmbeddedDatabase(): Promise<TestDatabase> {
  const embedded = await openEmbedded({ dataDir: null, template: await emptyStore() });
  const sequelize = poolOver(embedded);
  return {
    name: 'embedded',
    sequelize,
    async close() {
      await sequelize.close();
      await embedded.close();
    },
  };
}

/** Works in a schema of its own, so that runs do not meet. */
async function openServerDatabase(url: string): Promise<TestDatabase> {
  const schema = `test_${process.pid}_${Math.random().toString(36).slice(2)}`;
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    logging: false,
    pool: { min: 0, max: 6, idle: 1_000_000 },
    dialectOptions: { options: `-c search_path=${schema}` },
  });
  await sequelize.query(`CREATE SCHEMA ${schema}`);
  return {
    name: 'server',
    sequelize,
    async close() {
      await sequelize.query(`DROP SCHEMA ${schema} CASCADE`);
      await sequelize.close();
    },
  };
}
