import { AsyncResource } from 'node:async_hooks';
import type { Sequelize } from 'sequelize';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { type FullClockReading, passedBetween, readAllClocks } from '../clockReading.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { run, statement } from './statement.ts';

/** What a clock may differ by before anybody heeds it: more than those that are kept by NTP do. */
export const toleratedMs = 1_000;

/** One that is gone by differs by less when it is believed again: near the limit it would be one and the other by turns. */
const agreedMs = 500;

const everyMs = 5_000;

/** An answer that took longer says too little of the moment that it was given at. */
const longestAnswerMs = 1_000;

/** A busy database may need more than one asking until an answer says enough. */
const askingsAtStart = 3;

const readClock = statement<{ ms: string }>(
  'read_database_clock',
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms',
);

/** How the clocks stood when the database was asked last; all in milliseconds. */
interface Comparison extends FullClockReading {
  /** How far the machine's clock was ahead of the database's; 0 where that is tolerated. */
  readonly aheadMs: number;
}

interface Surroundings {
  readonly sequelize: Sequelize;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'clockAhead'>;
}

/**
 * The machine's clock, put right by that of the database where they differ: processes on several machines have one time,
 * whatever their clocks say, and none expires, at a step of its own, what the others still take for good.
 *
 * A step is seen at once by the monotonic clock. Until the database has said what the time is, what passed since it was asked
 * last is gone by: a machine that was suspended is right, one whose clock was set may be wrong.
 */
export class SharedClock implements Clock {
  readonly schedule = systemClock.schedule;
  #compared: Comparison | null = null;
  #compareAgain: () => void = () => undefined;

  now(): Date {
    const compared = this.#compared;
    if (!compared) return systemClock.now();
    const machineMs = Date.now();
    const elapsedMs = performance.now() - compared.monotonicMs;
    const isContinuous = Math.abs(machineMs - compared.machineMs - elapsedMs) <= toleratedMs;
    if (isContinuous) return new Date(machineMs - compared.aheadMs);
    this.#compareAgain();
    return new Date(compared.machineMs - compared.aheadMs + passedBetween(compared, readAllClocks()));
  }

  /** Goes by the database's clock from now on. @returns what ends the asking. */
  async follow({ sequelize, log, metrics }: Surroundings): Promise<() => void> {
    let told = 0;
    const tell = (aheadMs: number) => {
      const isNews = (aheadMs === 0) !== (told === 0) || Math.abs(aheadMs - told) > toleratedMs;
      if (!isNews) return;
      told = aheadMs;
      if (aheadMs === 0) log.info('the clock of this machine agrees with that of the database again');
      else
        log.warn(
          { aheadMs },
          'the clock of this machine is wrong, or that of the database, which is gone by',
        );
    };
    const compare = async () => {
      const asked = readAllClocks();
      const [row] = await run(sequelize, readClock, []);
      const answered = readAllClocks();
      // Of an answer that waited while the machine was suspended, the monotonic clock does not tell.
      const tookMs = passedBetween(asked, answered);
      const steppedMs = answered.machineMs - asked.machineMs - tookMs;
      if (!row || tookMs > longestAnswerMs || Math.abs(steppedMs) > toleratedMs) return;
      const measuredMs = Math.round(answered.machineMs - tookMs / 2 - Number(row.ms));
      const heededFromMs = this.#compared?.aheadMs ? agreedMs : toleratedMs;
      const aheadMs = Math.abs(measuredMs) > heededFromMs ? measuredMs : 0;
      this.#compared = { ...answered, aheadMs };
      metrics.clockAhead.set(measuredMs / 1_000);
      tell(aheadMs);
    };
    for (let asked = 0; asked < askingsAtStart && !this.#compared; asked += 1) await compare();
    let isComparing = false;
    const compareAgain = async () => {
      if (isComparing) return;
      isComparing = true;
      // A database that does not answer is told of by everybody else.
      await compare().catch((error) => log.debug({ err: error }, 'clocks not compared'));
      isComparing = false;
    };
    // Whoever finds a step may be in a transaction, of which the asking is no part.
    this.#compareAgain = AsyncResource.bind(() => void compareAgain());
    const timer = setInterval(this.#compareAgain, everyMs).unref();
    return () => {
      clearInterval(timer);
      this.#compareAgain = () => undefined;
    };
  }
}
