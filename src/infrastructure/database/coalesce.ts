import { lateAfter } from '../lateAfter.ts';
import { transactionContext } from './transactionContext.ts';

/** Batches under way at once: one that is slow delays few, and the keys of many gather meanwhile. */
const concurrentBatches = 2;
const keysInBatch = 500;

/** One that takes longer holds up none of those that come later: its connection may never answer. */
const patienceMs = 1_000;

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
    const goOn = () => {
      underWay -= 1;
      if (waiting.size > 0) flush();
    };
    let isLate = false;
    const callOff = lateAfter(patienceMs, () => {
      isLate = true;
      goOn();
    });
    try {
      const values = await load([...batch.keys()]);
      for (const [key, readers] of batch) for (const reader of readers) reader.resolve(values.get(key));
    } catch (error) {
      for (const readers of batch.values()) for (const reader of readers) reader.reject(error);
    } finally {
      callOff();
      if (!isLate) goOn();
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
