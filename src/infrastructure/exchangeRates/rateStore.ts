import type { Big } from 'big.js';
import type { Sequelize } from 'sequelize';
import { run, statement } from '../database/statement.ts';
import { turnIsDueSql } from '../database/turnIsDue.ts';
import { StrictDecimal } from '../strictDecimal.ts';

/** The rate of a currency on a day, as a source outside has published it. */
export interface DayRate {
  /** YYYY-MM-DD, of the source's own calendar. */
  readonly day: string;
  /** Reais for one unit. */
  readonly rate: Big;
  /** When it was published. */
  readonly quotedAt: Date;
}

/** Of each currency, so many days are read: more than a source is asked for at once. */
const daysRead = 20;

const readRates = statement<{ currency: string; day: string; rate: string; quoted_at: Date }>(
  'read_exchange_rates',
  `SELECT r.currency, r.day, r.rate, r.quoted_at
     FROM json_array_elements_text($2::json) AS c (currency)
    CROSS JOIN LATERAL (SELECT * FROM exchange_rates
                         WHERE source = $1 AND currency = c.currency
                         ORDER BY day DESC LIMIT ${daysRead}) r
    ORDER BY r.currency, r.day`,
);

/** What is known of these currencies, the earliest day first. */
export async function readDayRates(
  sequelize: Sequelize,
  source: string,
  currencies: readonly string[],
): Promise<Map<string, DayRate[]>> {
  const rates = new Map<string, DayRate[]>(currencies.map((currency) => [currency, []]));
  for (const row of await run(sequelize, readRates, [source, JSON.stringify(currencies)]))
    rates
      .get(row.currency)
      ?.push({ day: row.day, rate: new StrictDecimal(row.rate), quotedAt: row.quoted_at });
  return rates;
}

/** What is the same as before is not written again. */
const keepRates = statement<{ day: string }>(
  'keep_exchange_rates',
  `INSERT INTO exchange_rates AS r (source, currency, day, rate, quoted_at, fetched_at)
   SELECT $1, $2, t.day, t.rate, t.quoted_at, $4
     FROM json_to_recordset($3::json) AS t (day date, rate numeric, quoted_at timestamptz)
   ON CONFLICT (source, currency, day) DO UPDATE
      SET rate = excluded.rate, quoted_at = excluded.quoted_at, fetched_at = excluded.fetched_at
    WHERE (r.rate, r.quoted_at) IS DISTINCT FROM (excluded.rate, excluded.quoted_at)
   RETURNING day`,
);

/** Keeps rates of a currency, one a day. @returns the days that are new or have another rate */
export async function keepDayRates(
  sequelize: Sequelize,
  { source, currency, fetchedAt }: { source: string; currency: string; fetchedAt: Date },
  rates: readonly DayRate[],
): Promise<string[]> {
  const rows = rates.map(({ day, rate, quotedAt }) => ({ day, rate: rate.toFixed(), quoted_at: quotedAt }));
  const kept = await run(sequelize, keepRates, [source, currency, JSON.stringify(rows), fetchedAt]);
  return kept.map(({ day }) => day);
}

const takeTurn = statement<{ failures: number }>(
  'take_exchange_rate_lookup',
  `INSERT INTO exchange_rate_lookups AS l (source, failures, due_at) VALUES ($1, 0, $3)
   ON CONFLICT (source) DO UPDATE SET due_at = excluded.due_at WHERE ${turnIsDueSql('l.due_at', '$2', '$4')}
   RETURNING failures`,
);

const endTurn = statement(
  'end_exchange_rate_lookup',
  'UPDATE exchange_rate_lookups SET failures = $2, due_at = $3 WHERE source = $1',
);

export interface Turn {
  readonly now: Date;
  /** When the next may take a turn if nobody says how this one ended. */
  readonly until: Date;
  /** The latest to which anybody puts off a turn. */
  readonly latest: Date;
}

/**
 * Takes the turn to ask a source when one is due: of all processes, one at a time.
 * @returns how often in a row it failed before, or null when it is not due
 */
export async function takeLookup(
  sequelize: Sequelize,
  source: string,
  { now, until, latest }: Turn,
): Promise<number | null> {
  const [turn] = await run(sequelize, takeTurn, [source, now, until, latest]);
  return turn?.failures ?? null;
}

/** Ends a turn: says how often in a row it has failed by now, and when the next is due. */
export async function endLookup(
  sequelize: Sequelize,
  source: string,
  { failures, dueAt }: { failures: number; dueAt: Date },
): Promise<void> {
  await run(sequelize, endTurn, [source, failures, dueAt]);
}
