import { LRUCache } from 'lru-cache';
import type { Sequelize } from 'sequelize';
import { run, type Statement } from '../infrastructure/database/statement.ts';
import { keptOfObject } from '../infrastructure/keptEntry.ts';
import type { Tenant } from './tenant.ts';

/**
 * Totals of long lists: to count is most of what a page of one takes. What happens to what is listed tells an event, in the
 * same transaction: as long as the wallet's last one is the same, a total is what it was. Its number would not do: a server
 * that takes over from one that died may not have heard of some, and gives theirs to others.
 */
export interface Counted {
  last_event: string;
  /** Digits; null when the last event is the one of which it was asked. */
  total: string | null;
}

/** SQL that counts the rows of a FROM clause for the wallet $1, unless its last event is still that of `lastEvent`. */
export const countSql = (rows: string, lastEvent: string): string =>
  `SELECT coalesce(e.id, '') AS last_event, CASE WHEN coalesce(e.id, '') IS DISTINCT FROM ${lastEvent}::text THEN (
          SELECT count(*) FROM ${rows}) END AS total
     FROM wallets w LEFT JOIN events e ON e.wallet_id = w.id AND e.sequence = w.event_count WHERE w.id = $1`;

interface KeptTotal {
  readonly lastEvent: string;
  readonly total: number;
}

/** Totals that were counted lately, by statement, wallet and filter. */
const keptTotals = new WeakMap<Sequelize, LRUCache<string, KeptTotal>>();

type Filter = readonly (Date | string | null)[];

async function count(
  { walletId }: Tenant,
  counting: Statement<Counted>,
  filter: Filter,
  lastEvent: string | null,
  sequelize: Sequelize,
): Promise<Counted> {
  const [row] = await run(sequelize, counting, [walletId, ...filter, lastEvent]);
  if (!row) throw new Error(`there is no wallet ${walletId}`);
  return row;
}

/**
 * Counts what a list has, or knows it already.
 * @param counting of `countSql`, whose values are the wallet, those of `filter`, and the last event.
 */
export async function totalOf(
  tenant: Tenant,
  counting: Statement<Counted>,
  filter: Filter,
  sequelize: Sequelize,
): Promise<number> {
  const kept = keptOfObject(keptTotals, sequelize, () => new LRUCache<string, KeptTotal>({ max: 10_000 }));
  const key = JSON.stringify([counting.name, tenant.walletId, ...filter]);
  const before = kept.get(key);
  const counted = await count(tenant, counting, filter, before?.lastEvent ?? null, sequelize);
  if (counted.total === null) return before!.total;
  const total = Number(counted.total);
  kept.set(key, { lastEvent: counted.last_event, total });
  return total;
}

/** The same for lists that change without an event. */
export async function countAnew(
  tenant: Tenant,
  counting: Statement<Counted>,
  filter: Filter,
  sequelize: Sequelize,
): Promise<number> {
  return Number((await count(tenant, counting, filter, null, sequelize)).total);
}
