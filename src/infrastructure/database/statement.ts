import { AsyncLocalStorage } from 'node:async_hooks';
import type { Sequelize } from 'sequelize';
import { type NamedQuery, rowsOf, type Timestamps } from './namedQuery.ts';
import {
  type Client,
  giveBack,
  isOutdated,
  isUnusable,
  poolOf,
  SharedConnections,
} from './sharedConnections.ts';

/**
 * The hot path: named (prepared) statements on connections of Sequelize's own pool, without Sequelize's query layer.
 *
 * Values come back as the models' do: bigint (int8) and numeric as strings, to be made `BigInt` where money is read,
 * timestamptz as Date (or as ISO 8601 text, where a statement says so), date as YYYY-MM-DD, json parsed, bytea as Buffer.
 */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** A read that takes no locks: it may share a connection with other reads. */
  readonly shared: boolean;
  readonly timestamps: Timestamps;
  /** Never set: carries the type of a row. */
  readonly row?: Row;
}

const texts = new Map<string, string>();

/**
 * Declares a statement; to be called where a module is loaded. `Row` is what one of its rows looks like.
 * @throws Error when the name stands for another text: a connection knows each name once.
 */
export function statement<Row = unknown>(
  name: string,
  text: string,
  { timestamps = 'date' }: { timestamps?: Timestamps } = {},
): Statement<Row> {
  if ((texts.get(name) ?? text) !== text) throw new Error(`two statements are called ${name}`);
  texts.set(name, text);
  const shared =
    /^\s*(SELECT|WITH)\b/i.test(text) && !/\b(INSERT|UPDATE|DELETE|MERGE|FOR|pg_\w+)\b/i.test(text);
  return { name, text, shared, timestamps };
}

const storage = new AsyncLocalStorage<Map<string, unknown>>();

/** Contexts whose work is under way. */
let unfinished = 0;
let isClosing = false;

/** How long no transaction was open before the following of contexts is put to rest. */
const restMs = 1_000;

/** While contexts are followed, every promise of the process costs more: a tenth of a read's time, all in all. */
function finish(): void {
  unfinished -= 1;
  if (unfinished > 0 || isClosing) return;
  isClosing = true;
  setTimeout(() => {
    isClosing = false;
    if (unfinished === 0) storage.disable();
  }, restMs).unref();
}

/** For `Sequelize.useCLS`: the open transaction of the present asynchronous context, under the key `transaction`. */
export const transactionContext = {
  get: (key: string): unknown => storage.getStore()?.get(key),
  set: (key: string, value: unknown): void => void storage.getStore()?.set(key, value),
  run: (work: (context: unknown) => unknown): void => {
    const context = new Map(storage.getStore() ?? []);
    unfinished += 1;
    Promise.resolve(storage.run(context, work, context)).then(finish, finish);
  },
  bind: <Work>(work: Work): Work => work,
};

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
  const { name, text, timestamps } = statement;
  const query: NamedQuery = { name, text, values, timestamps };
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

const retriedCodes = new Set(['40001', '40P01']);

/**
 * Runs `work` again, once, when the database gave it up for another transaction's sake (serialization failure,
 * deadlock). Within an open transaction the error goes to whoever opened it: only the whole can be repeated.
 */
export async function retryOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, original } = error as { code?: string; original?: { code?: string } };
    if (transactionContext.get('transaction') || !retriedCodes.has(original?.code ?? code ?? '')) throw error;
    return work();
  }
}

/** Batches under way at once: one that is slow delays few, and the keys of many gather meanwhile. */
const concurrentBatches = 2;
const keysInBatch = 500;

interface Reader<Value> {
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
}

/**
 * Reads by key of requests that wait at the same moment in one statement: `load` gets distinct keys, one when the
 * request is alone, and is called after every request of its batch arrived, so nobody reads what was older than that.
 * Within a transaction each read goes alone. When `load` fails, so do the reads of its batch.
 */
export function coalesce<Key, Value>(
  load: (keys: Key[]) => Promise<Map<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let waiting = new Map<Key, Reader<Value>[]>();
  let underWay = 0;
  let scheduled = false;

  const send = async (batch: Map<Key, Reader<Value>[]>) => {
    underWay += 1;
    try {
      const values = await load([...batch.keys()]);
      for (const [key, readers] of batch) for (const reader of readers) reader.resolve(values.get(key));
    } catch (error) {
      for (const readers of batch.values()) for (const reader of readers) reader.reject(error);
    } finally {
      underWay -= 1;
      if (waiting.size > 0) flush();
    }
  };

  const flush = () => {
    scheduled = false;
    while (waiting.size > 0 && underWay < concurrentBatches) {
      const batch = [...waiting];
      waiting = new Map(batch.splice(keysInBatch));
      void send(new Map(batch));
    }
  };

  return (key) => {
    if (transactionContext.get('transaction')) return load([key]).then((values) => values.get(key));
    return new Promise((resolve, reject) => {
      const readers = waiting.get(key);
      if (readers) readers.push({ resolve, reject });
      else waiting.set(key, [{ resolve, reject }]);
      if (scheduled || underWay === concurrentBatches) return;
      scheduled = true;
      // After the sockets that are ready now have been read; one that is alone has nobody to wait for.
      if (underWay > 0) setImmediate(flush);
      else queueMicrotask(flush);
    });
  };
}
