import { vi } from 'vitest';
import { countLoopTurns } from './loopTurns.ts';

/** Characters of the texts in which excerpts are written meanwhile, and in how many turns of the event loop that is. */
export async function excerptsWritten(work: () => Promise<void>) {
  const loop = countLoopTurns();
  const lengths: number[] = [];
  const turns = new Set<number>();
  const { stringify } = JSON;
  const writing = vi.spyOn(JSON, 'stringify').mockImplementation((...given) => {
    const text = stringify(...given);
    if (text?.includes('"a0":"xxx')) {
      lengths.push(text.length);
      turns.add(loop.now());
    }
    return text;
  });
  try {
    await work();
  } finally {
    writing.mockRestore();
    loop.stop();
  }
  return { lengths, turns: turns.size };
}
