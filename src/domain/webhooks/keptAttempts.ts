import { setMaxListeners } from 'node:events';
import { Outage } from '../../infrastructure/observability/outage.ts';
import { pause } from '../../infrastructure/pause.ts';
import type { Platform } from '../platform.ts';
import { AttemptRecorder, type FinishedAttempt, type RecordedAttempt } from './attemptRecording.ts';

/** Between tries: a quarter of a second, half as long again each time, up to half a minute. */
const firstPauseMs = 250;
const pauseGrowth = 1.5;
const longestPauseMs = 30_000;

/** For most of an hour. */
const mostTries = 100;

/**
 * Finished attempts, kept until the database takes them. A delivery whose attempt is not recorded is sent again when its
 * lease lapses, and while a full disk takes no attempts but renews leases, receivers would get everything again and again.
 */
export class KeptAttempts {
  readonly #recorder: AttemptRecorder;
  readonly #outage: Outage;
  readonly #stopping = new AbortController();

  /** `name` is that of the worker, unlike any other's. */
  constructor(name: string, platform: Platform) {
    this.#recorder = new AttemptRecorder(name, platform);
    this.#outage = new Outage(platform.log, {
      lost: 'webhook attempts not recorded; trying again',
      back: 'webhook attempts are recorded again',
      level: 'error',
    });
    // All that end during an outage wait for it; Node.js would take more than ten for a leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Resolves once the attempt is recorded. @throws the driver's error, when the process stops or it fails for too long. */
  async record(attempt: FinishedAttempt): Promise<RecordedAttempt> {
    const { signal } = this.#stopping;
    for (let tries = 1; ; tries += 1) {
      try {
        const recorded = await this.#recorder.record(attempt);
        this.#outage.end();
        return recorded;
      } catch (error) {
        if (signal.aborted || tries === mostTries) throw error;
        this.#outage.begin(error);
        const pauseMs = Math.min(firstPauseMs * pauseGrowth ** (tries - 1), longestPauseMs);
        await pause(pauseMs, signal);
        if (signal.aborted) throw error;
      }
    }
  }

  /** From now on each is tried once. */
  stop(): void {
    this.#stopping.abort();
  }
}
