import { startSweeps } from '../../sweeper.ts';
import type { ExchangeRates, RateSurroundings } from '../exchangeRates.ts';
import type { Quotations } from '../latestRate.ts';
import { latestRate } from '../latestRate.ts';
import { readDayRates } from '../rateStore.ts';
import { PtaxEnquiry, ptaxCurrencies, ptaxSource } from './enquiry.ts';

export interface PtaxOptions {
  /** Where the bank's service is. */
  readonly baseUrl: string;
  /** How long after its publication a rate may still be used. */
  readonly maxAgeMs: number;
}

/** Between looks at the table, and whether it is time to ask the bank, in milliseconds by the clock. */
const lookMs = 60_000;

/**
 * Rates of Banco Central do Brasil: PTAX, to sell, of the closing bulletin, which is what contracts in Brazil refer to. It
 * comes out early in the afternoon of each business day, and holds until the next one.
 *
 * Workers ask the bank, by turns, and write what they believe into a table. Every process has in memory what stands there,
 * and prices with that: no search waits for the bank or the database, and a start finds the rates of before.
 */
export function ptaxExchangeRates({ baseUrl, maxAgeMs }: PtaxOptions): ExchangeRates {
  let quotations: Quotations = new Map();

  async function load({ sequelize }: RateSurroundings): Promise<void> {
    const known = await readDayRates(sequelize, ptaxSource, ptaxCurrencies);
    quotations = new Map(
      [...known].map(([currency, days]) => [
        currency,
        days.map(({ rate, quotedAt }) => ({ rate, asOf: quotedAt })),
      ]),
    );
  }

  function tellAges({ clock, metrics }: RateSurroundings): void {
    for (const [currency, rates] of quotations) {
      const latest = rates.at(-1);
      if (!latest) continue;
      const ageMs = clock.now().getTime() - latest.asOf.getTime();
      metrics.exchangeRateAge.set({ currency }, ageMs / 1_000);
    }
  }

  return {
    async rate(from, at) {
      return latestRate(quotations, { from, at, maxAgeMs });
    },
    async start(surroundings) {
      const { clock, log, metrics, everyMs, asks } = surroundings;
      const enquiry = asks ? new PtaxEnquiry(baseUrl, surroundings) : null;
      await load(surroundings);
      let lookedMs = Number.NEGATIVE_INFINITY;
      const look = async (stopping: AbortSignal) => {
        const nowMs = clock.now().getTime();
        if (Math.abs(nowMs - lookedMs) >= lookMs) {
          await enquiry?.askWhenDue(stopping);
          await load(surroundings);
          lookedMs = nowMs;
        }
        tellAges(surroundings);
      };
      return startSweeps([{ name: 'exchange-rates', everyMs, run: look }], log, metrics);
    },
  };
}
