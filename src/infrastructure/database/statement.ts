import type { Sequelize } from 'sequelize';
import { type NamedQuery, rowsOf, type Timestamps } from './namedQuery.ts';
import { type Client, giveBack } from './pooledClient.ts';
import { asynchronousCommitSql } from './session.ts';
import { poolOf, SharedConnections } from './sharedConnections.ts';
import { isOutdated, isUnusable, sqlStateOf } from './sqlState.ts';
import { transactionContext } from './transactionContext.ts';

/**
 * The hot path: named (prepared) statements on connections of Sequelize's own pool, without Sequelize's query layer.
 *
 * Values come back as the models' do: bigint (int8) and numeric as strings, to be made `BigInt` where money is read,
 * timestamptz as Date (or as ISO 8601 text, where a statement says so), date as YYYY-MM-DD, json parsed, bytea as Buffer.
 */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /**
   * Whether it may share a connection with other reads, and be asked again where that falls silent: one that takes no locks
   * and changes nothing may, unless it says that it may not, for what takes long keeps those behind it waiting.
   */
  readonly shared: boolean;
  readonly timestamps: Timestamps;
  /**
   * Whether PostgreSQL plans it anew each time. Else it keeps a plan once there were five runs, and changes it when the
   * table has been analysed: one that was made when there were few rows reads all of a table for each row of a join, and
   * ten thousand rows take half a minute. For statements that run seldom and go through many rows.
   */
  readonly plannedEachRun: boolean;
  /** Whether its commit waits until it is on the server's disk. */
  readonly commit: Commit;
  /** Never set: carries the type of a row. */
  readonly row?: Row;
}

/**
 * `asynchronous` is for rows that clients can have made again: seen by all at once, but lost when the database server
 * itself crashes, or is failed over, within the next half second or so. What commits later and waits for the disk takes
 * them along. The embedded store, where nothing writes by itself, commits these like any other: `embeddedDisk.ts` says
 * what that is worth.
 */
export type Commit = 'synchronous' | 'asynchronous';

/** SQL at the end of an INSERT, which is a transaction of its own: has its commit wait as the session says. */
const asynchronously = ` RETURNING set_config('synchronous_commit', ${asynchronousCommitSql}, true)`;

const onlyReads = (text: string): boolean =>
  /^\s*(SELECT|WITH)\b/i.test(text) &&
  !/\b(INSERT|UPDATE|DELETE|MERGE|FOR|nextval|set_config|pg_\w+)\b/i.test(text);

const texts = new Map<string, string>();

/**
 * Declares a statement; to be called where a module is loaded. `Row` is what one of its rows looks like.
 * @throws Error when the name stands for another text: a connection knows each name once.
 */
export function statement<Row = unknown>(
  name: string,
  text: string,
  {
    timestamps = 'date',
    plannedEachRun = false,
    shared: mayBeShared = true,
    commit = 'synchronous',
  }: Partial<Pick<Statement<Row>, 'timestamps' | 'plannedEachRun' | 'shared' | 'commit'>> = {},
): Statement<Row> {
  if ((texts.get(name) ?? text) !== text) throw new Error(`two statements are called ${name}`);
  texts.set(name, text);
  return {
    name,
    text: commit === 'asynchronous' ? text + asynchronously : text,
    shared: mayBeShared && onlyReads(text),
    timestamps,
    plannedEachRun,
    commit,
  };
}

interface OpenTransaction {
  connection: Client;
  finished?: string;
}

/**
 * Runs a statement: in the open transaction when there is one, else on its own.
 * @throws the driver's DatabaseError; `code` is the SQLSTATE.
 */
export function run<Row>(sequelize: Sequelize, statement: Statement<Row>, values: unknown[]): Promise<Row[]> {
  const transaction = transactionContext.get('transaction') as OpenTransaction | null | undefined;
  const { name, text, timestamps, plannedEachRun, commit } = statement;
  const query: NamedQuery = { name, text, values, timestamps, plannedEachRun };
  // All of the transaction would be committed so.
  if (transaction && commit === 'asynchronous')
    return Promise.reject(new Error(`${name}: commits by itself, and cannot be part of a transaction`));
  if (transaction) return runInTransaction<Row>(transaction, query);
  const attempt = statement.shared
    ? () => SharedConnections.of(sequelize).query(query)
    : () => runAlone(sequelize, query);
  return attempt().catch((error) => tryOthers(sequelize, attempt, error)) as Promise<Row[]>;
}

/** After a migration every connection in the pool may have an outdated statement: each is given up as it is met. */
async function tryOthers(
  sequelize: Sequelize,
  attempt: () => Promise<unknown[]>,
  first: unknown,
): Promise<unknown[]> {
  let error = first;
  // The driver's stack ends at the socket that the answer came from.
  if (first instanceof Error) Error.captureStackTrace(first);
  for (let left = poolOf(sequelize).maxSize; left > 0 && isOutdated(error); left -= 1) {
    try {
      return await attempt();
    } catch (next) {
      error = next;
    }
  }
  throw error;
}

async function runInTransaction<Row>(transaction: OpenTransaction, query: NamedQuery): Promise<Row[]> {
  // Its connection may be someone else's by now.
  if (transaction.finished)
    throw new Error(`${query.name}: the transaction has ended (${transaction.finished})`);
  try {
    return (await rowsOf(transaction.connection, query)) as Row[];
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error);
    // Only the whole transaction can be tried again; the pool will not hand this connection out for it.
    if (isOutdated(error)) transaction.connection._invalid = true;
    throw error;
  }
}

async function runAlone(sequelize: Sequelize, query: NamedQuery): Promise<unknown[]> {
  const manager = sequelize.connectionManager;
  const client = (await manager.getConnection({ type: 'write' })) as Client;
  let unusable = false;
  try {
    return await rowsOf(client, query);
  } catch (error) {
    unusable = isUnusable(error);
    throw error;
  } finally {
    giveBack(manager, client, unusable);
  }
}

const retriedCodes: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);

/**
 * Runs `work` again, once, when the database gave it up for another transaction's sake (serialization failure,
 * deadlock). Within an open transaction the error goes to whoever opened it: only the whole can be repeated.
 */
export async function retryOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (transactionContext.get('transaction') || !retriedCodes.has(sqlStateOf(error))) throw error;
    return work();
  }
}
