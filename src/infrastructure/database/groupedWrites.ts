import { setImmediate as nextTurn } from 'node:timers/promises';
import { lateAfter } from '../lateAfter.ts';

/** One member of a group and who waits for it. */
interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GroupedWrites<Item, Result> {
  /** Writes one item, alone or with those that wait at the same moment. Resolves once it is committed. */
  write(item: Item): Promise<Result>;
}

export interface GroupOptions<Item> {
  /** The largest group. */
  readonly most: number;
  /** Is told why a group could not be written together. */
  onGroupFailure(error: unknown): void;
  /** Whether an item may be written alone after its group failed so: never when that may write it a second time. */
  mayGoAlone(item: Item, error: unknown): boolean;
  /** Is told of a group that takes long. */
  onLate(items: Item[]): void;
  /** Whether an item goes alone and at once: it would hold up those that are written with it. */
  goesAlone(item: Item): boolean;
}

/** How long one write may hold up those that wait behind it, in milliseconds: several times what it takes. */
const patienceMs = 250;

/** Tells those who wait what became of their items. */
type Tell = () => void;

/** @returns what `work`, which must not fail, has to tell; null when that took too long: it is told by itself then. */
function withPatience(work: Promise<Tell>): Promise<Tell | null> {
  return new Promise((resolve) => {
    let isLate = false;
    const callOff = lateAfter(patienceMs, () => {
      isLate = true;
      resolve(null);
    });
    void work.then((tell) => {
      callOff();
      if (isLate) tell();
      else resolve(tell);
    });
  });
}

/**
 * Writes what waits at the same moment together. Nothing is delayed for company: an item that comes while none is being
 * written goes alone and at once; those that come in the meantime make the next group, of `most` at most. Between two
 * groups those join that are there already, heard by no one yet. A write that takes long, because something it needs is
 * locked, is left to itself: the others go on without it, and so do those that would be like it.
 *
 * @param alone writes one item.
 * @param together writes several in one transaction and says what became of each; null for one that it left out, which
 *   is then written alone. When it fails those that may are written alone, so that what is wrong with one does not harm the
 *   others; the rest fail as it did.
 */
export function groupedWrites<Item, Result>(
  alone: (item: Item) => Promise<Result>,
  together: (items: Item[]) => Promise<(Result | null)[]>,
  { most, onGroupFailure, mayGoAlone, onLate, goesAlone }: GroupOptions<Item>,
): GroupedWrites<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isWriting = false;

  const writeAlone = ({ item, resolve, reject }: Waiting<Item, Result>): Promise<Tell> =>
    alone(item).then(
      (result) => () => resolve(result),
      (error) => () => reject(error),
    );

  const writeEach = async (group: Waiting<Item, Result>[]): Promise<Tell> => {
    await Promise.all(group.map((one) => writeAlone(one).then((tell) => tell())));
    return () => undefined;
  };

  const writeGroup = async (group: Waiting<Item, Result>[]): Promise<Tell> => {
    let results: (Result | null)[];
    try {
      results = await together(group.map(({ item }) => item));
    } catch (error) {
      onGroupFailure(error);
      const lost = group.filter(({ item }) => !mayGoAlone(item, error));
      for (const { reject } of lost) reject(error);
      return writeEach(group.filter((one) => !lost.includes(one)));
    }
    const leftOut = group.filter((_one, index) => (results[index] ?? null) === null);
    const tell = () => {
      for (const [index, one] of group.entries()) {
        const result = results[index] ?? null;
        if (result !== null) one.resolve(result);
      }
    };
    if (leftOut.length === 0) return tell;
    tell();
    return writeEach(leftOut);
  };

  const leaveLate = (group: Waiting<Item, Result>[]): void => {
    onLate(group.map(({ item }) => item));
    const apart = waiting.filter(({ item }) => goesAlone(item));
    waiting = waiting.filter((one) => !apart.includes(one));
    void writeEach(apart);
  };

  const writeAll = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, most);
      waiting = waiting.slice(most);
      const [first] = group;
      const tell = await withPatience(group.length === 1 && first ? writeAlone(first) : writeGroup(group));
      if (!tell && group.length > 1) leaveLate(group);
      // With much to write the database goes on while the callers hear of it; with little they may come back in time.
      const isBusy = waiting.length * 2 >= group.length && waiting.length > 1;
      if (isBusy && tell) setImmediate(tell);
      else tell?.();
      // Until the sockets that are ready now have been read.
      if (!isBusy && group.length + waiting.length > 1) await nextTurn();
    }
    isWriting = false;
  };

  return {
    write: (item) => {
      if (goesAlone(item)) return alone(item);
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (!isWriting) void writeAll();
      });
    },
  };
}
