import type { Sequelize } from 'sequelize';
import type { Platform } from './platform.ts';
import type { Tenant } from './tenant.ts';
import { Turns } from './turns.ts';

/** Pages of one team and mode that are read at once. */
const pagesAtOnce = 2;

const turnsOf = new WeakMap<Sequelize, Turns>();

/**
 * Reads a page of a list that only grows. Deep in a list of hundreds of thousands, or with a total that nobody has asked
 * for before, that takes the database a part of a second; a hundred such requests, within the limit, had every connection
 * busy for seconds, and whoever calls for another team waited behind them. Now they wait for each other.
 * @throws NoTurnCame after as long as a request waits for a connection.
 */
export async function inLongList<T>(
  { walletId }: Tenant,
  { sequelize, settings }: Pick<Platform, 'sequelize' | 'settings'>,
  read: () => Promise<T>,
): Promise<T> {
  const turns = turnsOf.get(sequelize) ?? new Turns(pagesAtOnce);
  turnsOf.set(sequelize, turns);
  const end = await turns.take(`lists of wallet ${walletId}`, settings.DATABASE_POOL_TIMEOUT);
  try {
    return await read();
  } finally {
    end();
  }
}
