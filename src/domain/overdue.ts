import { waitedTooLong } from '../infrastructure/database/sqlState.ts';
import { run, type Statement } from '../infrastructure/database/statement.ts';
import type { Platform } from './platform.ts';

/**
 * How long a sweep waits for what somebody else has locked, a wallet as a rule: several times what a write takes, so
 * that one that is merely busy is waited for. One that is held for longer must not keep the others from their turn.
 */
export const longestSweepWaitMs = 250;

/** What should have ended at `due_at`. */
export interface Overdue {
  id: string;
  wallet_id: number;
  due_at: Date;
}

/** Rows that a statement for `expireOverdue` returns at most. */
export const sweptAtOnce = 200;

export interface OverdueKind {
  /** What they are called, in the plural. */
  readonly noun: string;
  /** Those overdue at $1 that come after the one due at $2 with the id $3, in the order of both. */
  readonly find: Statement<Overdue>;
  /** Ends one of them, waiting no longer than `longestSweepWaitMs` for a lock. @returns whether it was this call. */
  expire(id: string, walletId: number, now: Date): Promise<boolean>;
}

/**
 * Expires what is overdue, until the process stops. Any number of workers may run it: each expires once. A wallet that
 * somebody keeps locked is passed over: what is overdue there is left to a later sweep.
 * @returns how many this call expired.
 * @throws AggregateError when some could not be expired; those behind them are all the same.
 */
export async function expireOverdue(
  kind: OverdueKind,
  platform: Platform,
  stopping?: AbortSignal,
): Promise<number> {
  const { sequelize, clock, log } = platform;
  const now = clock.now();
  const failures: unknown[] = [];
  const locked = new Set<number>();
  let left = 0;
  let expired = 0;
  let last = { id: '', due_at: new Date(0) };
  while (!stopping?.aborted) {
    const overdue = await run(sequelize, kind.find, [now, last.due_at, last.id]);
    for (const { id, wallet_id: walletId } of overdue) {
      if (stopping?.aborted) break;
      try {
        if (locked.has(walletId)) left += 1;
        else if (await kind.expire(id, walletId, now)) expired += 1;
      } catch (error) {
        if (waitedTooLong(error)) {
          locked.add(walletId);
          left += 1;
        } else failures.push(error);
      }
    }
    last = overdue.at(-1) ?? last;
    if (overdue.length < sweptAtOnce) break;
  }
  if (left > 0)
    log.warn(
      { left, walletIds: [...locked] },
      `overdue ${kind.noun} of locked wallets left to a later sweep`,
    );
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} ${kind.noun} did not expire`);
  return expired;
}
