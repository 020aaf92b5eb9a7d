import type { Big } from 'big.js';
import type { Sequelize } from 'sequelize';
import type { Clock } from '../clock.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';

/** One quotation: how many reais one unit of the currency is worth. */
export interface ExchangeRate {
  /** Above zero, with six digits before the point and eight behind it at most: else it fails what asked for it. */
  readonly rate: Big;
  /** The instant from which it applies. */
  readonly asOf: Date;
}

/** Why there is no rate: none is known for the instant, or none that is recent enough. */
export type RateFault = 'missing' | 'too_old';

/** What `rate` rejects with when there is no rate to price with: none is ever guessed. */
export class RateUnavailable extends Error {
  /** ISO 4217. */
  readonly currency: string;
  readonly reason: RateFault;

  constructor(currency: string, reason: RateFault) {
    super(`exchange rate of ${currency}: ${reason}`);
    this.currency = currency;
    this.reason = reason;
  }
}

/** What an adapter that works by itself has of its process. */
export interface RateSurroundings {
  readonly sequelize: Sequelize;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether this process asks those outside. Others go by what it has written to the database. */
  readonly asks: boolean;
  /** Between looks whether something is due, in milliseconds. */
  readonly everyMs: number;
}

/** Where exchange rates come from. An adapter is a file, or a folder, that implements this. */
export interface ExchangeRates {
  /**
   * Reais for one unit of `from` (ISO 4217) at an instant. The real is worth one real. A search waits for it: an adapter
   * answers from memory.
   * @throws RateUnavailable when there is no rate for that instant, or none recent enough
   */
  rate(from: string, at: Date): Promise<ExchangeRate>;
  /**
   * Called once, before the process serves: from then on an adapter that has to ask somebody does so by itself. It waits
   * for the database at most, and for nobody outside.
   * @returns what stops it
   */
  start?(surroundings: RateSurroundings): Promise<() => Promise<void>>;
}
