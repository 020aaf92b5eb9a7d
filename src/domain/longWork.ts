import type { Sequelize } from 'sequelize';
import { keptOfObject } from '../infrastructure/keptEntry.ts';
import { Turns } from '../infrastructure/turns.ts';
import type { Platform } from './platform.ts';
import type { Tenant } from './tenant.ts';

/**
 * What may take the database a part of a second and more: pages deep in a list of hundreds of thousands, or with a total
 * that nobody has asked for before, and changes of thousands of deliveries at once.
 */
type LongWork = 'lists' | 'deliveries';

/** Of each kind, for one team and mode, in this process. */
const atOnce = 2;

const turnsOf = new WeakMap<Sequelize, Turns>();

/**
 * Does such work when it is its turn. A hundred requests for it, within the limit, had every connection busy for seconds,
 * and whoever calls for another team waited behind them. Now they wait for each other.
 * @throws NoTurnCame after as long as a request waits for a connection.
 */
export async function inTurnOfLongWork<T>(
  kind: LongWork,
  { walletId }: Pick<Tenant, 'walletId'>,
  { sequelize, settings }: Pick<Platform, 'sequelize' | 'settings'>,
  work: () => Promise<T>,
): Promise<T> {
  const turns = keptOfObject(turnsOf, sequelize, () => new Turns(atOnce));
  const end = await turns.take(`${kind} of wallet ${walletId}`, settings.DATABASE_POOL_TIMEOUT);
  try {
    return await work();
  } finally {
    end();
  }
}
