import { askWithin } from '../../cutOff.ts';
import { carrierCurrencies } from '../../flights/supplier.ts';
import { Outage } from '../../observability/outage.ts';
import type { RateSurroundings } from '../exchangeRates.ts';
import type { DayRate } from '../rateStore.ts';
import { endLookup, keepDayRates, readDayRates, takeLookup } from '../rateStore.ts';
import { areOfOneCurrency, judgeClosings } from './belief.ts';
import type { Closing } from './bulletins.ts';
import { bulletinsUrl, readClosings } from './bulletins.ts';
import { download } from './download.ts';

export const ptaxSource = 'ptax';

/** What carriers sell in, and the bank quotes. */
export const ptaxCurrencies = carrierCurrencies.filter((currency) => currency !== 'BRL');

/** Times in milliseconds. The service is slow at times; nobody waits for it. */
const timeoutMs = 30_000;
const refreshMs = 30 * 60_000;
const firstPauseMs = 60_000;
/** A turn that nobody ended, because its process died, is over after this. */
const turnMs = 4 * timeoutMs;
/** By how much a pause may be shorter, so that not everybody asks the bank at the same second. */
const pauseSpread = 0.2;

/** How long not to ask after so many failures in a row. */
function pauseAfter(failures: number): number {
  const longestMs = failures === 0 ? refreshMs : Math.min(firstPauseMs * 2 ** (failures - 1), refreshMs);
  return longestMs * (1 - pauseSpread * Math.random());
}

/** A question that is under way. */
interface Asked {
  readonly currency: string;
  readonly answer: Promise<Closing[]>;
}

/** Asks the bank for its closings, and keeps those that can be believed. */
export class PtaxEnquiry {
  readonly #baseUrl: string;
  readonly #surroundings: RateSurroundings;
  readonly #silence: Outage;
  readonly #doubts: ReadonlyMap<string, Outage>;

  constructor(baseUrl: string, surroundings: RateSurroundings) {
    this.#baseUrl = baseUrl;
    this.#surroundings = surroundings;
    const { log } = surroundings;
    this.#silence = new Outage(log, {
      lost: 'no exchange rates from the central bank: those that are known stay in use until they are too old',
      back: 'exchange rates come from the central bank again',
    });
    this.#doubts = new Map(
      ptaxCurrencies.map((currency) => [
        currency,
        new Outage(log, {
          lost: 'exchange rate of the central bank not believed: the one before it stays in use',
          back: 'exchange rates of the central bank are believed again',
          fields: { currency },
          level: 'error',
        }),
      ]),
    );
  }

  /** Asks when it is time, and nobody else's turn. It fails when the database does, and not for the bank. */
  async askWhenDue(stopping: AbortSignal): Promise<void> {
    const { sequelize, clock } = this.#surroundings;
    const now = clock.now();
    const later = (ms: number) => new Date(clock.now().getTime() + ms);
    const failuresBefore = await takeLookup(sequelize, ptaxSource, {
      now,
      until: later(turnMs),
      latest: later(refreshMs + turnMs),
    });
    if (failuresBefore === null) return;
    const asked = ptaxCurrencies.map((currency) => ({
      currency,
      answer: this.#ask(currency, now, stopping),
    }));
    const answers = await Promise.allSettled(asked.map((one) => this.#learn(one, asked, now, stopping)));
    // Whoever comes next need not wait for a turn that was broken off.
    if (stopping.aborted)
      return endLookup(sequelize, ptaxSource, { failures: failuresBefore, dueAt: clock.now() });
    const faults = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const failures = faults.length > 0 ? failuresBefore + 1 : 0;
    if (faults.length > 0)
      this.#silence.begin(new AggregateError(faults, 'the central bank was asked in vain'));
    else this.#silence.end();
    await endLookup(sequelize, ptaxSource, { failures, dueAt: later(pauseAfter(failures)) });
  }

  async #ask(currency: string, now: Date, stopping: AbortSignal): Promise<Closing[]> {
    const { clock } = this.#surroundings;
    const url = bulletinsUrl(this.#baseUrl, currency, now);
    const text = await askWithin({ asked: 'the central bank', timeoutMs, clock }, ({ signal }) =>
      download(url, AbortSignal.any([signal, stopping])),
    );
    return readClosings(text, now);
  }

  /** Keeps what can be believed of what was told of a currency, beside what was told of the others. */
  async #learn(
    { currency, answer }: Asked,
    asked: readonly Asked[],
    now: Date,
    stopping: AbortSignal,
  ): Promise<void> {
    const { sequelize, log, metrics } = this.#surroundings;
    const count = (outcome: string) => metrics.exchangeRateFetches.inc({ currency, outcome });
    try {
      const closings = await answer;
      for (const other of asked) {
        const theirs = other.currency === currency ? [] : await other.answer.catch(() => []);
        if (areOfOneCurrency(closings, theirs))
          throw new Error(`the closings of ${currency} are those of ${other.currency}`);
      }
      const known = (await readDayRates(sequelize, ptaxSource, [currency])).get(currency) ?? [];
      const judged = judgeClosings(closings, known);
      const kept = await keepDayRates(
        sequelize,
        { source: ptaxSource, currency, fetchedAt: now },
        judged.believed,
      );
      const latest = laterOf(judged.believed.at(-1), known.at(-1));
      if (latest && kept.includes(latest.day))
        log.info(
          { currency, day: latest.day, rate: latest.rate.toFixed() },
          'exchange rate of the central bank',
        );
      count(this.#tellDoubts(currency, judged.doubted.at(-1), latest) ? 'doubted' : 'answered');
    } catch (error) {
      if (!stopping.aborted) count('failed');
      throw error;
    }
  }

  /** @returns whether something newer than what is in use, or what has become of that itself, is not believed */
  #tellDoubts(currency: string, doubted: Closing | undefined, inUse: DayRate | null): boolean {
    const isDoubted = doubted !== undefined && doubted.day >= (inUse?.day ?? '');
    const outage = this.#doubts.get(currency);
    if (isDoubted)
      outage?.begin(new Error(`${doubted.told} on ${doubted.day}, after ${inUse?.rate ?? 'nothing'}`));
    else outage?.end();
    return isDoubted;
  }
}

/** What is in use of what was told and known before: an answer may lag behind, or have its last closing no more. */
function laterOf(told: DayRate | undefined, known: DayRate | undefined): DayRate | null {
  const isBehind = told !== undefined && known !== undefined && told.day < known.day;
  return (isBehind ? known : (told ?? known)) ?? null;
}
