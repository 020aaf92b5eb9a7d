import type { Sequelize } from 'sequelize';
import { NoLockReached } from '../../infrastructure/database/lockWait.ts';
import { lockTimeoutMs } from '../../infrastructure/database/session.ts';
import { isInTransaction } from '../../infrastructure/database/transaction.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import { Turns } from '../../infrastructure/turns.ts';
import type { Platform } from '../platform.ts';

/** Writes of one wallet in this process: one that holds its lock, and one that waits there already. */
const atOnce = 2;

const turnsOf = new WeakMap<Sequelize, Turns>();

/**
 * Changes a wallet when it is its turn, and takes no connection before that. PostgreSQL does the changes of a wallet one by
 * one: a hundred at once would each hold a connection while they wait for its lock, and other teams have none left. What is
 * part of an open transaction has its connection, and waits for the lock alone.
 * @param longestMs how long it may wait for its turn, and then for the lock.
 * @throws NoLockReached
 */
export async function inTurnOfWallet<T>(
  walletId: number,
  { sequelize }: Pick<Platform, 'sequelize'>,
  change: () => Promise<T>,
  longestMs = lockTimeoutMs,
): Promise<T> {
  if (isInTransaction()) return change();
  const turns = keptOfObject(
    turnsOf,
    sequelize,
    () =>
      new Turns(atOnce, (subject) => new NoLockReached(`too many others wait for the lock of ${subject}`)),
  );
  const subject = `wallet ${walletId}`;
  const end = turns.takeNow(subject) ?? (await turns.take(subject, longestMs));
  try {
    return await change();
  } finally {
    end();
  }
}
