import { DatabaseError } from 'pg';
import { NoLockReached } from './lockWait.ts';

/** SQLSTATE of an error, from the driver or through Sequelize. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, original } = (error ?? {}) as { code?: string; original?: { code?: string } };
  return original?.code ?? code;
}

const lockNotAvailable = '55P03';

/**
 * Whether the database gave a statement up because what it needed stayed locked for as long as it may wait, or it was not
 * even asked for it, since others that wait for it were first.
 */
export const waitedTooLong = (error: unknown): boolean =>
  sqlStateOf(error) === lockNotAvailable || error instanceof NoLockReached;

/**
 * Whether a statement that waited too long did so for a row or index entry of this table, as far as the server says: it names
 * it in its own language and between its own quotes.
 */
export function waitedFor(table: string, error: unknown): boolean {
  const { where, original } = error as { where?: string; original?: { where?: string } };
  const told = original?.where ?? where ?? '';
  return waitedTooLong(error) && new RegExp(`\\b${table}\\b`).test(told);
}

const uniqueViolation = '23505';

/** Whether the database refused a row because there is one like it where there may be only one; of this name, if given. */
export function isRepeated(error: unknown, name?: string): boolean {
  const { constraint, original } = (error ?? {}) as {
    constraint?: string;
    original?: { constraint?: string };
  };
  if (sqlStateOf(error) !== uniqueViolation) return false;
  return name === undefined || (original?.constraint ?? constraint) === name;
}

const tooManyConnections = '53300';

/** Whether the server refused a session because it has as many as it may have. */
export const hasNoConnectionLeft = (error: unknown): boolean => sqlStateOf(error) === tooManyConnections;

/** Of a user who may not log in, of a password, and of a right to enter the database. */
const refusedEntry: ReadonlySet<string | undefined> = new Set(['28000', '28P01', '42501']);

/** Whether the server is there, and refused a session to whoever asked for it. */
export const lacksEntry = (error: unknown): boolean => refusedEntry.has(sqlStateOf(error));

const invalidSchemaName = '3F000';

/** Whether there is no schema to make something in: none of the search path is there. */
export const lacksSchema = (error: unknown): boolean => sqlStateOf(error) === invalidSchemaName;

const readOnlyTransaction = '25006';

/** Whether a write met a server, database or role that is read-only. */
export const isReadOnly = (error: unknown): boolean => sqlStateOf(error) === readOnlyTransaction;

const undefinedObject = '42704';

/** Whether the server knows nothing of a name, such as a setting's, that it was asked for. */
export const undefinedName = (error: unknown): boolean => sqlStateOf(error) === undefinedObject;

/** Of a table, and of a column. */
const undefinedRelations: ReadonlySet<string | undefined> = new Set(['42P01', '42703']);

/** Why a command failed that does not bring the database up to date, as a server's start does. */
export function reasonOfCommand(error: unknown): string {
  const { message } = error as Error;
  return undefinedRelations.has(sqlStateOf(error))
    ? `the database is not of this version, which migrates it at its start (${message})`
    : message;
}

/** SQLSTATEs after which the server closes the connection: shutdowns, and time-outs of the session. */
const closingCodes = /^(08|57P0|25P03)/;

/** Whether the connection is gone or in doubt: after all but errors of a statement that the server survived. */
export function isUnusable(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  return closingCodes.test(error.code ?? '') || isOutdated(error);
}

/**
 * Whether nothing was executed because the server does not know the statement any more or a migration changed its
 * columns: that has no code of its own, and a message in the server's language, so that its function tells it. The
 * connection still believes in it, so only another connection can run it.
 */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery');
}
