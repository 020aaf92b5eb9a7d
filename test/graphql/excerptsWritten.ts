import { vi } from 'vitest';

/** Characters of the texts in which excerpts are written meanwhile, and in how many turns of the event loop that is. */
export async function excerptsWritten(work: () => Promise<void>) {
  let turn = 0;
  let counting: NodeJS.Immediate;
  const count = () => {
    turn += 1;
    counting = setImmediate(count);
  };
  count();
  const lengths: number[] = [];
  const turns = new Set<number>();
  const { stringify } = JSON;
  const writing = vi.spyOn(JSON, 'stringify').mockImplementation((...given) => {
    const text = stringify(...given);
    if (text?.includes('"a0":"xxx')) {
      lengths.push(text.length);
      turns.add(turn);
    }
    return text;
  });
  try {
    await work();
  } finally {
    writing.mockRestore();
    clearImmediate(counting!);
  }
  return { lengths, turns: turns.size };
}
