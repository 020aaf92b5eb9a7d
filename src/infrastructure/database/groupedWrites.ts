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

/** How long one write may hold up those that wait behind it, in milliseconds: several times what it takes. */
const patienceMs = 250;

/** Waits for the end of `work`, which must not fail, but not for ever. */
function withPatience(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    void work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Writes what waits at the same moment together. Nothing is delayed for company: an item that comes while none is being
 * written goes alone and at once; those that come in the meantime make the next group, of `most` at most. A write that
 * takes long, because something it needs is locked, is left to itself: the others go on without it.
 *
 * @param alone writes one item.
 * @param together writes several in one transaction and says what became of each; null for one that it left out, which
 *   is then written alone. When it fails nothing was written, and all of them are written alone: what is wrong with one
 *   does not harm the others.
 */
export function groupedWrites<Item, Result>(
  alone: (item: Item) => Promise<Result>,
  together: (items: Item[]) => Promise<(Result | null)[]>,
  { most, onGroupFailure }: { most: number; onGroupFailure(error: unknown): void },
): GroupedWrites<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isWriting = false;

  const writeAlone = async ({ item, resolve, reject }: Waiting<Item, Result>) => {
    try {
      resolve(await alone(item));
    } catch (error) {
      reject(error);
    }
  };

  const writeGroup = async (group: Waiting<Item, Result>[]) => {
    const results = await together(group.map(({ item }) => item)).catch((error): null[] => {
      onGroupFailure(error);
      return group.map(() => null);
    });
    await Promise.all(
      group.map((one, index) => {
        const result = results[index];
        return result === null || result === undefined ? writeAlone(one) : one.resolve(result);
      }),
    );
  };

  const writeAll = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, most);
      waiting = waiting.slice(most);
      const [first] = group;
      await withPatience(group.length === 1 && first ? writeAlone(first) : writeGroup(group));
    }
    isWriting = false;
  };

  return {
    write: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (!isWriting) void writeAll();
      }),
  };
}
