import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Sample, Slice } from './load.ts';

/** The load generator's process, as seen from here. */
export interface Generator {
  /** Drives one slice. @throws Error when any request failed: a measurement with failures is none. */
  drive(slice: Slice): Promise<Sample>;
  stop(): void;
}

export function startGenerator(): Generator {
  const child = fork(fileURLToPath(new URL('./load.js', import.meta.url)), [], { serialization: 'advanced' });
  return {
    async drive(slice) {
      const answered = once(child, 'message');
      child.send(slice);
      const [sample] = (await answered) as [Sample];
      if (sample.faults.length > 0)
        throw new Error(`${slice.method} ${slice.url}: ${sample.faults.join(', ')}`);
      return sample;
    },
    stop: () => void child.kill(),
  };
}
