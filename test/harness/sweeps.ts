import { eventually, restRequest } from './client.ts';

/** Resolves after two more sweeps of a server: whatever was due when this was called has been found by then. */
export async function sweptTwice(url: string, sweeper: string): Promise<void> {
  const counted = new RegExp(`^embarque_sweeps_total\\{sweeper="${sweeper}",outcome="done"\\} (\\d+)$`, 'm');
  const sweeps = async () => {
    const { text } = await restRequest(url, 'GET', '/metrics');
    return Number(counted.exec(text)?.[1] ?? 0);
  };
  const before = await sweeps();
  await eventually(async () => (await sweeps()) >= before + 2);
}
