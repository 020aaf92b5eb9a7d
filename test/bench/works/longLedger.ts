import { Sequelize } from 'sequelize';
import { walletChecks } from '../../../src/domain/wallet/walletChecks.ts';
import { verifyLedger } from '../../harness/ledger.ts';
import type { Bench } from '../bench.ts';
import type { Contender } from '../contender.ts';
import type { Entrant } from '../contest.ts';
import { hold, ratio } from '../contest.ts';
import type { EntrantRequest } from '../contestWork.ts';
import type { LedgerSize } from '../ledger.ts';
import { fillLedger, ledgerDays, ledgerSizes } from '../ledger.ts';
import type { Figure, Work } from '../work.ts';
import { createAgency, walletOf } from '../world.ts';

/**
 * One wallet's transactions at a thousand entries and at many, each in a database and a process of its own, asked the
 * same in turns: newest page, pages of the middle, last page, with and without each filter.
 */

const shortEntries = 1_000;

/** What fits into a run of all works; `--full` takes the ten million of the goal, whose entries alone are made. */
const usualSize: LedgerSize = { entries: 300_000, complete: true };
const fullSize: LedgerSize = { entries: 10_000_000, complete: false };

const pageSize = 20;
const goal = { atMost: 1.5 };

interface Ledger {
  readonly name: string;
  readonly size: LedgerSize;
  readonly databaseUrl: string;
  readonly contender: Contender;
  readonly key: string;
}

async function openLedger(bench: Bench, size: LedgerSize): Promise<Ledger> {
  const name = `${size.entries} entries`;
  const databaseUrl = await bench.database();
  const contender = await bench.product(name, { DATABASE_URL: databaseUrl });
  const { teamId, key } = await createAgency(contender.url, 'Agência');
  await fillLedger(databaseUrl, await walletOf(databaseUrl, teamId), size);
  return { name, size, databaseUrl, contender, key };
}

/** Checks that do not hold: every invariant of a complete ledger, those of wallets and entries of any other. */
async function breaksOf({ databaseUrl, size }: Ledger): Promise<{ checks: number; breaks: string[] }> {
  const sequelize = new Sequelize(databaseUrl, { logging: false });
  try {
    const results = await verifyLedger(sequelize, size.complete ? undefined : walletChecks);
    return { checks: results.length, breaks: results.flatMap((result) => result.break ?? []) };
  } finally {
    await sequelize.close();
  }
}

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Sixty days in the middle of the ledger: enough for a full page of one type at a thousand entries. */
const period = `start_date=${dayBefore(ledgerDays / 2)}&end_date=${dayBefore(ledgerDays / 2 - 59)}`;

/** Requests by name: a filter, and which part of its pages of `total` entries. */
const shapes: readonly (readonly [name: string, filter: string, share: number, from: number, to: number])[] =
  [
    ['newest page', '', 1, 0, 0],
    ['middle pages', '', 1, 0.3, 0.7],
    ['last page', '', 1, 1, 1],
    ['one type, newest page', 'type=credit', 0.5, 0, 0],
    ['one type, middle pages', 'type=debit', 0.5, 0.3, 0.7],
    ['one type, last page', 'type=debit', 0.5, 1, 1],
    ['a period, newest page', period, 60 / ledgerDays, 0, 0],
    ['a period, last page', period, 60 / ledgerDays, 1, 1],
    ['one type in a period, newest page', `type=credit&${period}`, 30 / ledgerDays, 0, 0],
    ['one type in a period, last page', `type=credit&${period}`, 30 / ledgerDays, 1, 1],
  ];

/** Up to forty pages from the share `from` of all pages to `to`. */
function pagesOf(total: number, from: number, to: number): number[] {
  const last = Math.max(1, Math.floor(total / pageSize));
  const first = 1 + Math.round((last - 1) * from);
  const count = Math.min(40, 1 + Math.round((last - 1) * to) - (first - 1));
  const step = ((last - 1) * (to - from)) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => first + Math.round(index * step));
}

function requestOf(
  { size, key }: Ledger,
  [, filter, share, from, to]: (typeof shapes)[number],
): EntrantRequest {
  const path = `/api/v1/wallet/transactions?limit=${pageSize}${filter && `&${filter}`}`;
  const asking = { method: 'GET', idempotent: false } as const;
  const pages = pagesOf(size.entries * share, from, to);
  return {
    ...asking,
    path,
    keys: [key],
    turns: pages.map((page) => ({ ...asking, path: `${path}&page=${page}` })),
  };
}

/** How much longer a request takes at the long ledger. */
async function slowdownOf(bench: Bench, short: Ledger, long: Ledger, shape: (typeof shapes)[number]) {
  const entrants: Entrant[] = [short, long].map((ledger) => ({
    name: ledger.name,
    contender: ledger.contender,
    request: requestOf(ledger, shape),
  }));
  const { rounds, seconds } = bench.pace;
  const pace = { rounds, seconds: seconds * 0.3, connections: 8 };
  const standings = await hold({ entrants, ...pace }, bench.generator);
  return { measured: ratio(standings, short.name, long.name), long: standings[1] };
}

async function sizeFigures({ databaseUrl, name }: Ledger): Promise<Figure[]> {
  const sizes = await ledgerSizes(databaseUrl);
  return sizes.flatMap(({ table, dataBytes, indexBytes }) => [
    { name: `${table} at ${name}, data`, measured: dataBytes / 2 ** 20, unit: 'MiB' },
    { name: `${table} at ${name}, indexes`, measured: indexBytes / 2 ** 20, unit: 'MiB' },
  ]);
}

async function run(bench: Bench) {
  const short = await openLedger(bench, { entries: shortEntries, complete: true });
  const started = performance.now();
  const long = await openLedger(bench, bench.pace.full ? fullSize : usualSize);
  const fillSeconds = Math.round((performance.now() - started) / 1_000);
  const figures: Figure[] = [];
  for (const shape of shapes) {
    const { measured } = await slowdownOf(bench, short, long, shape);
    figures.push({ name: shape[0], measured, unit: `× the time at ${short.name}`, goal });
  }
  const { checks, breaks } = await breaksOf(long);
  figures.push({ name: 'ledger checks that break', measured: breaks.length, unit: '', goal: { exactly: 0 } });
  figures.push(...(await sizeFigures(long)), ...(await sizeFigures(short)));
  const notes = [`${long.name} made in ${fillSeconds} s, proved by ${checks} checks`, ...breaks];
  return { figures, notes };
}

export const longLedger: Work = {
  title: 'Transactions of a long ledger, 20 rows, 8 connections',
  takes: { once: 25, round: 4.8, timed: true },
  needs: ['postgres'],
  run,
};
