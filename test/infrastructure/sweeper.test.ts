import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { createMetrics } from '../../src/infrastructure/observability/metrics.ts';
import { noTurn, startSweeps } from '../../src/infrastructure/sweeper.ts';
import { dayMs } from '../harness/testClock.ts';

it('a sweep that fails runs again, is counted each time and logged once, and is waited for when it is to stop', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const metrics = createMetrics();
  let runs = 0;
  let finish: () => void = () => undefined;
  const run = async () => {
    runs += 1;
    if (runs === 2) return noTurn;
    if (runs <= 4) throw new Error('the database is away');
    if (runs === 6)
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    return undefined;
  };
  const stop = startSweeps([{ name: 'example', everyMs: 1, run }], log, metrics);
  await vi.waitFor(() => expect(runs).toBe(6), { timeout: 30_000 });
  const counted = await metrics.sweeps.get();
  expect(counted.values.map(({ labels, value }) => [labels.sweeper, labels.outcome, value])).toEqual([
    ['example', 'failed', 3],
    ['example', 'done', 2],
  ]);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'sweep failed; it runs again',
    'sweep works again',
  ]);
  expect(lines[0]).toContain('the database is away');

  let stopped = false;
  const stopping = stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  finish();
  await stopping;
  expect(runs).toBe(6);
});

it('a sweep that is due after longer than timers count waits, and is not run without end', async () => {
  const metrics = createMetrics();
  const runs = { often: 0, seldom: 0 };
  const count = (name: keyof typeof runs) => async () => {
    runs[name] += 1;
  };
  // As many days as fifteen of the longest intervals have: what waits for every fifteenth sweep.
  const sweeps = [
    { name: 'often', everyMs: 1, run: count('often') },
    { name: 'seldom', everyMs: 15 * 24 * dayMs, run: count('seldom') },
  ];
  const stop = startSweeps(sweeps, pino({ level: 'silent' }), metrics);
  await vi.waitFor(() => expect(runs.often).toBeGreaterThan(10), { timeout: 30_000 });
  await stop();
  expect(runs.seldom).toBe(1);
});
