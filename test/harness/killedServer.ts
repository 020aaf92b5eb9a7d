import { expect } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/infrastructure/database/database.ts';
import type { BuiltServer } from './builtServer.ts';
import type { Json } from './client.ts';
import { eventually } from './client.ts';
import { ledgerBreaks } from './ledger.ts';
import { silentLog } from './silentLog.ts';

/** How many clients there are, and after how many acknowledgements the server dies. */
interface Work {
  clients: number;
  least: number;
  most: number;
}

/**
 * Work of many clients, each of which does `act` again and again, and the server's death after a random number of
 * acknowledgements.
 */
export async function workAndDie(
  server: BuiltServer,
  { clients, least, most }: Work,
  act: (acknowledge: () => void) => Promise<void>,
): Promise<void> {
  let left = least + Math.floor(Math.random() * (most - least + 1));
  let death: Promise<void> | null = null;
  const acknowledge = () => {
    left -= 1;
    if (left <= 0) death ??= server.kill();
  };
  const isOver = () => death !== null;
  const live = async () => {
    while (!isOver()) {
      try {
        await act(acknowledge);
      } catch (error) {
        // A connection that breaks is what the death of a server looks like; before it, nothing may fail.
        if (!isOver() || (error as Error).name === 'AssertionError') throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, live));
  await death;
}

/** Rows of a store whose server is gone; the ledger must be sound whenever somebody looks. */
export async function lookAtDead<T>(
  environment: Record<string, string>,
  read: (query: (sql: string) => Promise<Json[]>) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(readSettings(environment), [], silentLog);
  const query = async (sql: string) => (await database.sequelize.query(sql))[0] as Json[];
  try {
    // A real database server may still be finishing statements of the dead.
    await eventually(async () => {
      const [row] = await query(`SELECT count(*)::int AS busy FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'embarque'`);
      return row.busy === 0;
    });
    expect(await ledgerBreaks(database.sequelize)).toEqual([]);
    return await read(query);
  } finally {
    await database.close();
  }
}
