import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { coalesce } from '../../../src/infrastructure/database/coalesce.ts';
import { transactionContext } from '../../../src/infrastructure/database/transactionContext.ts';

/** A loader that answers when told to. */
function loader() {
  const batches: { keys: number[]; answer(): void; fail(error: Error): void }[] = [];
  const read = coalesce<number, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        const answer = () =>
          resolve(new Map(keys.filter((key) => key >= 0).map((key) => [key, `value ${key}`])));
        batches.push({ keys, answer, fail: reject });
      }),
  );
  return { batches, read };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('coalesced reads', () => {
  it('go in one batch when they wait at the same moment, each key once', async () => {
    const { batches, read } = loader();
    const reads = [read(1), read(2), read(1), read(-3)];
    expect(batches).toEqual([]);
    await nextTurn();
    expect(batches.map(({ keys }) => keys)).toEqual([[1, 2, -3]]);
    batches[0]?.answer();
    expect(await Promise.all(reads)).toEqual(['value 1', 'value 2', 'value 1', undefined]);
  });

  it('go alone when nobody else waits', async () => {
    const { batches, read } = loader();
    const alone = read(7);
    await nextTurn();
    expect(batches.map(({ keys }) => keys)).toEqual([[7]]);
    batches[0]?.answer();
    expect(await alone).toBe('value 7');
  });

  it('are never answered by a batch that was sent before they came', async () => {
    const { batches, read } = loader();
    const early = read(1);
    await nextTurn();
    const late = read(1);
    await nextTurn();
    expect(batches.map(({ keys }) => keys)).toEqual([[1], [1]]);
    batches[0]?.answer();
    expect(await early).toBe('value 1');
    expect(await Promise.race([late, nextTurn().then(() => 'waiting')])).toBe('waiting');
    batches[1]?.answer();
    expect(await late).toBe('value 1');
  });

  it('gather while two batches are under way, and follow when one is answered', async () => {
    const { batches, read } = loader();
    const reads: Promise<string | undefined>[] = [];
    for (const key of [1, 2, 3, 4]) {
      reads.push(read(key));
      await nextTurn();
    }
    expect(batches.map(({ keys }) => keys)).toEqual([[1], [2]]);
    batches[1]?.answer();
    await nextTurn();
    expect(batches.map(({ keys }) => keys)).toEqual([[1], [2], [3, 4]]);
    batches[0]?.answer();
    batches[2]?.answer();
    expect(await Promise.all(reads)).toEqual(['value 1', 'value 2', 'value 3', 'value 4']);
  });

  it('wait for no batch that takes long, and two go at once again however that ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { batches, read } = loader();
    const reads: Promise<string | undefined>[] = [];
    const sentOf = async (...keys: number[]) => {
      for (const key of keys) {
        reads.push(read(key));
        await nextTurn();
      }
      return batches.length;
    };
    expect(await sentOf(1, 2, 3)).toBe(2);
    vi.advanceTimersByTime(1_000);
    // What has come is read first.
    await nextTurn();
    expect(await sentOf()).toBe(3);
    for (const { answer } of batches.slice(0, 2)) answer();
    await nextTurn();
    expect(await sentOf(4, 5)).toBe(4);
    for (let answered = 2; answered < 5; answered += 1) {
      batches[answered]?.answer();
      await nextTurn();
    }
    vi.advanceTimersByTime(1_000);
    expect(await sentOf(6, 7, 8)).toBe(7);
    for (let answered = 5; answered < 8; answered += 1) {
      batches[answered]?.answer();
      await nextTurn();
    }
    expect((await Promise.all(reads)).at(-1)).toBe('value 8');
  });

  it('fail with their batch, and only with it', async () => {
    const { batches, read } = loader();
    const failing = Promise.allSettled([read(1), read(2)]);
    await nextTurn();
    batches[0]?.fail(new Error('down'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = read(1);
    await nextTurn();
    batches[1]?.answer();
    expect(await next).toBe('value 1');
  });

  it('fail, and do not hang, when the loader throws at once', async () => {
    const read = coalesce<number, string>(() => {
      throw new Error('at once');
    });
    await expect(read(1)).rejects.toThrow('at once');
  });

  it('go in batches of a bounded size', async () => {
    const { batches, read } = loader();
    const reads = Array.from({ length: 1_200 }, (_, key) => read(key));
    await nextTurn();
    expect(batches.map(({ keys }) => keys.length)).toEqual([500, 500]);
    batches[0]?.answer();
    await nextTurn();
    expect(batches.map(({ keys }) => keys.length)).toEqual([500, 500, 200]);
    batches[1]?.answer();
    batches[2]?.answer();
    expect((await Promise.all(reads)).at(-1)).toBe('value 1199');
  });

  it('go alone and in the transaction where one is open', async () => {
    const { batches, read } = loader();
    const outside = read(1);
    transactionContext.run(() => {
      transactionContext.set('transaction', {});
      void read(2);
      void read(3);
    });
    expect(batches.map(({ keys }) => keys)).toEqual([[2], [3]]);
    await nextTurn();
    expect(batches.map(({ keys }) => keys)).toEqual([[2], [3], [1]]);
    batches[2]?.answer();
    expect(await outside).toBe('value 1');
  });
});
