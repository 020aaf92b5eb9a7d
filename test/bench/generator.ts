import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Sample, Slice } from './load.ts';

/** The load generator's process, as seen from here. */
export interface Generator {
  /** Drives slices at the same time. @throws Error when any request failed: a measurement with failures is none. */
  drive(...slices: readonly Slice[]): Promise<Sample>;
  stop(): void;
}

export function startGenerator(): Generator {
  const child = fork(fileURLToPath(new URL('./load.js', import.meta.url)), [], { serialization: 'advanced' });
  return {
    async drive(...slices) {
      const answered = once(child, 'message');
      child.send(slices);
      const [sample] = (await answered) as [Sample];
      if (sample.faults.length > 0)
        throw new Error(`${slices.map(({ url }) => url).join(', ')}: ${sample.faults.join(', ')}`);
      return sample;
    },
    stop: () => void child.kill(),
  };
}
