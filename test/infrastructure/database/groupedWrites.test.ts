import { describe, expect, it } from 'vitest';
import { groupedWrites } from '../../../src/infrastructure/database/groupedWrites.ts';
import { eventually } from '../../harness/client.ts';

/** A writer that notes what it wrote, and ends each write when it is told to. */
function notedWriter(
  together?: (items: string[]) => (string | null)[],
  mayGoAlone = (_item: string) => true,
) {
  const writes: string[][] = [];
  const ends: (() => void)[] = [];
  const failures: string[] = [];
  const late: string[] = [];
  const end = () => new Promise<void>((resolve) => ends.push(resolve));
  const grouped = groupedWrites<string, string>(
    async (item) => {
      writes.push([item]);
      await end();
      if (item.startsWith('bad')) throw new Error(item);
      return `${item} alone`;
    },
    async (items) => {
      writes.push(items);
      await end();
      return together ? together(items) : items.map((item) => `${item} together`);
    },
    {
      most: 3,
      onGroupFailure: (error) => failures.push(String(error)),
      mayGoAlone,
      onLate: (items) => late.push(...items),
      goesAlone: (item) => late.some((one) => one[0] === item[0]),
    },
  );
  const endNext = async () => {
    await eventually(() => ends.length > 0);
    ends.shift()?.();
  };
  return { grouped, writes, failures, endNext };
}

describe('Writes that wait at the same moment', () => {
  it('go alone and at once when nothing is being written', async () => {
    const { grouped, writes, endNext } = notedWriter();
    const first = grouped.write('a');
    expect(writes).toEqual([['a']]);
    await endNext();
    expect(await first).toBe('a alone');
  });

  it('go together when they came during a write, at most so many', async () => {
    const { grouped, writes, endNext } = notedWriter();
    const results = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => grouped.write(item)));
    for (let write = 0; write < 3; write += 1) await endNext();
    expect(await results).toEqual(['a alone', 'b together', 'c together', 'd together', 'e alone']);
    expect(writes).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  });

  it('are joined by those that come back at once when a group has ended', async () => {
    const { grouped, writes, endNext } = notedWriter();
    const twice = async (item: string) => {
      await grouped.write(item);
      return grouped.write(`${item}2`);
    };
    const results = Promise.all(['a', 'b', 'c'].map(twice));
    await endNext();
    // Two waited, so the database came first: the first hears of its write once they are being written.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await endNext();
    await endNext();
    expect(await results).toEqual(['a2 together', 'b2 together', 'c2 together']);
    expect(writes).toEqual([['a'], ['b', 'c'], expect.toSatisfy((group) => group.length === 3)]);
  });

  it('leave a group that is late to itself, and so do those that go alone because of it', async () => {
    const { grouped, writes, endNext } = notedWriter();
    const results = Promise.all(
      ['a', 'slow1', 'b', 'c', 'slow2', 'd', 'e'].map((item) => grouped.write(item)),
    );
    await endNext();
    // Nobody ends the group of the first slow one.
    await eventually(() => writes.length === 4);
    expect(writes).toEqual([['a'], ['slow1', 'b', 'c'], ['slow2'], ['d', 'e']]);
    const after = grouped.write('slow3');
    expect(writes.at(-1)).toEqual(['slow3']);
    for (let write = 0; write < 4; write += 1) await endNext();
    expect(await results).toEqual([
      'a alone',
      'slow1 together',
      'b together',
      'c together',
      'slow2 alone',
      'd together',
      'e together',
    ]);
    expect(await after).toBe('slow3 alone');
  });

  it('go alone again when their group left them out', async () => {
    const { grouped, endNext } = notedWriter((items) => items.map((item) => (item === 'c' ? null : item)));
    const results = Promise.all(['a', 'b', 'c'].map((item) => grouped.write(item)));
    for (let write = 0; write < 3; write += 1) await endNext();
    expect(await results).toEqual(['a alone', 'b', 'c alone']);
  });

  it('are not harmed by one that makes their group fail', async () => {
    const { grouped, failures, endNext } = notedWriter(() => {
      throw new Error('one of them is bad');
    });
    const results = Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => grouped.write(item)));
    for (let write = 0; write < 5; write += 1) await endNext();
    expect(
      (await results).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))),
    ).toEqual(['a alone', 'b alone', 'Error: bad', 'c alone']);
    expect(failures).toEqual(['Error: one of them is bad']);
    const after = grouped.write('d');
    await endNext();
    expect(await after).toBe('d alone');
  });

  it('fail with their group when they may not be written a second time', async () => {
    const fail = () => {
      throw new Error('nobody heard');
    };
    const { grouped, writes, endNext } = notedWriter(fail, (item) => item === 'c');
    const results = Promise.allSettled(['a', 'b', 'c'].map((item) => grouped.write(item)));
    for (let write = 0; write < 3; write += 1) await endNext();
    expect(
      (await results).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))),
    ).toEqual(['a alone', 'Error: nobody heard', 'c alone']);
    expect(writes).toEqual([['a'], ['b', 'c'], ['c']]);
  });
});
