import type { Sequelize } from 'sequelize';
import { transactionContext } from './statement.ts';

/**
 * Runs `work` in one database transaction: the one that is open already, or a new one. Statements and models find it
 * through the async context, so it is never passed by hand.
 */
export function inTransaction<T>(sequelize: Sequelize, work: () => Promise<T>): Promise<T> {
  if (transactionContext.get('transaction')) return work();
  return sequelize.transaction(() => work());
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
