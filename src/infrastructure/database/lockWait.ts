/**
 * SQL condition, always true, that bounds each wait for a lock of the statement it stands in, in milliseconds. It must
 * stand where rows are looked for that the statement locks first. Who waits longer gets an error that `waitedTooLong`
 * knows, and nothing is written.
 */
export const lockWaitSql = (mostMs: number): string =>
  `(SELECT set_config('lock_timeout', '${mostMs}ms', true)) IS NOT NULL`;

/** Whoever others of this process kept from a lock for too long, and who has not asked the database for it. */
export class NoLockReached extends Error {}
