import type { Sequelize } from 'sequelize';
import { Transaction } from 'sequelize';
import { transactionContext } from './transactionContext.ts';

/**
 * Runs `work` in one database transaction: the one that is open already, or a new one. Statements and models find it
 * through the async context, so it is never passed by hand.
 */
export function inTransaction<T>(sequelize: Sequelize, work: () => Promise<T>): Promise<T> {
  if (transactionContext.get('transaction')) return work();
  return sequelize.transaction(() => work());
}

/** Runs reads that must see the same state of everything, in a transaction of their own. */
export function inSnapshot<T>(sequelize: Sequelize, reads: () => Promise<T>): Promise<T> {
  const isolationLevel = Transaction.ISOLATION_LEVELS.REPEATABLE_READ;
  return sequelize.transaction({ isolationLevel }, () => reads());
}

/** Whether the present asynchronous context has a transaction open. */
export const isInTransaction = (): boolean => Boolean(transactionContext.get('transaction'));

interface CommitHooks {
  afterCommit(action: () => void): void;
}

/** Runs `action` once what is written now is committed: at once outside a transaction, never if it is rolled back. */
export function afterCommit(action: () => void): void {
  const transaction = transactionContext.get('transaction') as CommitHooks | undefined;
  if (transaction) transaction.afterCommit(action);
  else action();
}
