import { eventually } from './client.ts';
import { countOf } from './metricSamples.ts';

/** Resolves after two more sweeps of a server: whatever was due when this was called has been found by then. */
export async function sweptTwice(url: string, sweeper: string): Promise<void> {
  const sweeps = () => countOf(url, `embarque_sweeps_total{sweeper="${sweeper}",outcome="done"}`);
  const before = await sweeps();
  await eventually(async () => (await sweeps()) >= before + 2);
}
