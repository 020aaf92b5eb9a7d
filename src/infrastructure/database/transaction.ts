import type { Sequelize } from 'sequelize';
import { Transaction } from 'sequelize';
import { transactionContext } from './transactionContext.ts';

/** Ends the connection of a transaction, and takes it from the pool. */
interface Cleanup {
  forceCleanup(): Promise<void>;
}

/**
 * Keeps Sequelize from telling the console of each COMMIT and ROLLBACK that fails, as it does before it gives the connection
 * up and throws. Here it hears of neither: the connection is given up all the same, the error of a COMMIT is thrown by the
 * last of what runs after it, and a ROLLBACK has failed only where the server does it by itself.
 */
export function endQuietly(sequelize: Sequelize): void {
  const queries = sequelize.getQueryInterface();
  const commit = queries.commitTransaction.bind(queries);
  const rollBack = queries.rollbackTransaction.bind(queries);
  const giveUp = (transaction: Transaction) => (transaction as unknown as Cleanup).forceCleanup();
  queries.commitTransaction = (transaction, options) =>
    commit(transaction, options).catch(async (error) => {
      transaction.afterCommit(() => {
        throw error;
      });
      await giveUp(transaction);
    });
  queries.rollbackTransaction = (transaction, options) =>
    rollBack(transaction, options).catch(() => giveUp(transaction));
}

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
