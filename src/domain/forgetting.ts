import { run, type Statement, statement } from '../infrastructure/database/statement.ts';
import type { Platform } from './platform.ts';

/**
 * Deleting what is past keeping.
 *
 * In portions, oldest first: what a day without workers leaves behind would take one statement minutes, which the
 * embedded store's only session would not answer anybody for, and undo all of it when the process stops meanwhile. What
 * somebody else has locked, such as another worker that forgets or a request that reuses an old key, is left to a later
 * sweep. It goes by both clocks: one process whose own is ahead would forget for all.
 */

/** Some tens of milliseconds' work. */
const forgottenAtOnce = 500;

interface Portion {
  count: number;
  /** The youngest of them. */
  latest: Date | null;
}

/**
 * Deletes the oldest rows of `table`, one portion, whose `time` is between $1 and $2, both included, and at least $3 ms ago
 * by the database's clock.
 */
export const forgetStatement = (name: string, table: string, time: string): Statement<Portion> =>
  statement<Portion>(
    name,
    `WITH gone AS (
       DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table}
          WHERE ${time} >= $1 AND ${time} <= least($2, now() - $3::double precision * interval '1 millisecond')
          ORDER BY ${time} LIMIT ${forgottenAtOnce} FOR UPDATE SKIP LOCKED))
       RETURNING ${time} AS at
     )
     SELECT count(*)::integer AS count, max(at) AS latest FROM gone`,
    { plannedEachRun: true },
  );

/** Deletes what is older than `keptMs`, until the process stops. */
export async function forgetOlder(
  portion: Statement<Portion>,
  keptMs: number,
  { sequelize, clock }: Pick<Platform, 'sequelize' | 'clock'>,
  stopping: AbortSignal,
): Promise<void> {
  const until = new Date(clock.now().getTime() - keptMs);
  // What was deleted stays in the index for a while: each portion begins behind the one before.
  let from = new Date(0);
  while (!stopping.aborted) {
    const [gone] = await run(sequelize, portion, [from, until, keptMs]);
    if (!gone?.latest || gone.count < forgottenAtOnce) return;
    from = gone.latest;
  }
}
