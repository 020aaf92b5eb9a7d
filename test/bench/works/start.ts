import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { median } from '../contest.ts';
import type { Work } from '../work.ts';

/** The built product on the embedded store, api and worker in one process, from its start until it says it is ready. */

const existingTimes = 5;
const newTimes = 3;

async function readyMs(bench: Bench, folder: string): Promise<number> {
  const server = await bench.product('start', { ROLES: 'api,worker', DATA_DIR: folder });
  await server.stop();
  return server.readyMs;
}

async function run(bench: Bench) {
  const folder = join(bench.place.folder, 'start');
  const onNew: number[] = [];
  for (let time = 0; time < newTimes; time += 1) {
    await rm(folder, { recursive: true, force: true });
    onNew.push(await readyMs(bench, folder));
  }
  const onExisting: number[] = [];
  for (let time = 0; time < existingTimes; time += 1) onExisting.push(await readyMs(bench, folder));
  return {
    figures: [
      { name: 'existing DATA_DIR', measured: median(onExisting), unit: 'ms', goal: { atMost: 1_500 } },
      { name: 'new DATA_DIR', measured: median(onNew), unit: 'ms', goal: { atMost: 5_000 } },
    ],
    notes: [
      `existing ${onExisting.map(Math.round).join(', ')} ms; new ${onNew.map(Math.round).join(', ')} ms; medians count`,
    ],
  };
}

export const start: Work = { title: 'Start until ready', takes: { once: 18, round: 0 }, needs: [], run };
