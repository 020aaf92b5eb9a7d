import { systemClock } from './clock.ts';
import type { Log } from './observability/log.ts';
import type { Metrics } from './observability/metrics.ts';
import { Outage } from './observability/outage.ts';

/** What a run returns that left its work to another time or process: it says nothing of whether the sweep works. */
export const noTurn = Symbol('no turn');

export interface Sweep {
  name: string;
  everyMs: number;
  /** @param stopping is aborted when the process stops: whoever waits for somebody outside waits no longer. */
  run(stopping: AbortSignal): Promise<unknown>;
}

/**
 * Runs each sweep again and again, its interval after the end of the run before. What a sweep misses, its next run
 * finds, so a failure ends in a log line, and those after it until it works again in none.
 * @returns what stops them, once the runs under way are over.
 */
export function startSweeps(sweeps: readonly Sweep[], log: Log, metrics: Metrics): () => Promise<void> {
  const stopping = new AbortController();
  const stops = sweeps.map((sweep) => {
    let cancelNext = (): void => undefined;
    let running: Promise<void> = Promise.resolve();
    const outage = new Outage(log, {
      lost: 'sweep failed; it runs again',
      back: 'sweep works again',
      fields: { sweep: sweep.name },
      level: 'error',
    });
    const once = async () => {
      try {
        const result = await sweep.run(stopping.signal);
        metrics.sweeps.inc({ sweeper: sweep.name, outcome: 'done' });
        if (result !== noTurn) outage.end();
      } catch (error) {
        metrics.sweeps.inc({ sweeper: sweep.name, outcome: 'failed' });
        outage.begin(error);
      }
      if (stopping.signal.aborted) return;
      cancelNext = systemClock.schedule(sweep.everyMs, () => {
        running = once();
      });
    };
    running = once();
    return async () => {
      cancelNext();
      await running;
    };
  });
  return async () => {
    stopping.abort();
    await Promise.all(stops.map((stop) => stop()));
  };
}
