import type { Sequelize } from 'sequelize';
import { statement } from '../../../src/infrastructure/database/statement.ts';

/** Statements that most of these tests run. */

export const readValue = statement<{ value: string }>(
  'test_read_value',
  'SELECT value FROM things WHERE id = $1',
);
export const addOne = statement<{ value: string }>(
  'test_add_one',
  'UPDATE things SET value = value + 1 WHERE id = $1 RETURNING value',
);

interface Pool {
  readonly maxSize: number;
  readonly using: number;
  readonly waiting: number;
  readonly _inUseObjects: { resource: { connection: { stream: { destroy(): void } } } }[];
  destroyAllNow(): Promise<void>;
}

/** The connections of a store, which Sequelize shows nobody. */
export const poolOf = (sequelize: Sequelize) =>
  (sequelize.connectionManager as unknown as { pool: Pool }).pool;
