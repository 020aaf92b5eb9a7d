import { join } from 'node:path';
import type { BookingRow, GivenName } from '../../../src/domain/bookings/booking.ts';
import { createBooking } from '../../../src/domain/bookings/creationSql.ts';
import { givenOf } from '../../../src/domain/bookings/insertSql.ts';
import type { Bench } from '../bench.ts';
import { deployed } from '../bench.ts';
import type { Contender } from '../contender.ts';
import { median } from '../contest.ts';
import type { Posted, Postings } from '../peers/postings.ts';
import { pgbench } from '../pgbench.ts';
import { administer } from '../place.ts';
import type { Figure, Outcome, Work } from '../work.ts';

/**
 * Instant bookings through the domain's own posting (the booking, the debit, the entry, three events, and no webhooks),
 * each in a statement of its own and, as the product does it, grouped; next to pgbench running the very statement of one
 * booking on the same tables and wallets, by turns.
 */

const usualClients = 16;

/** Of a busy agency portal. */
const manyClients = 64;

/** No goal is set for it, and pgbench takes long to connect so many. */
const crowdRounds = 3;

const walletCount = 1_000;
const liveKey = 'sk_live_bench-bookings';

/** Of wallets that never run out: 10 billion reais each. */
const seedWallets = `
  INSERT INTO teams (id, name, markup_percent, fee_cents, created_at, updated_at)
  SELECT 'team_bench' || n, 'Agência ' || n, 0, 0, now(), now() FROM generate_series(1, ${walletCount}) n;
  INSERT INTO wallets (team_id, mode, balance_cents, credit_cents, created_at)
  SELECT 'team_bench' || n, 'live', 1000000000000, 1000000000000, now() FROM generate_series(1, ${walletCount}) n;
  ANALYZE`;

interface Wallets {
  readonly first: number;
  readonly last: number;
}

/** Who books at once, and on which wallets. */
interface Demand {
  readonly wallets: Wallets;
  readonly clients: number;
}

interface Posting {
  readonly databaseUrl: string;
  readonly product: Contender;
  readonly sample: BookingRow;
  readonly all: Wallets;
}

async function open(bench: Bench): Promise<Posting> {
  const databaseUrl = await bench.database();
  const product = await bench.peer('bookings', 'postings', {
    ...deployed,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: String(usualClients),
    BOOTSTRAP_LIVE_KEY: liveKey,
  });
  await administer(databaseUrl, seedWallets);
  const [range] = (await administer(
    databaseUrl,
    `SELECT min(id) AS first, max(id) AS last FROM wallets WHERE team_id LIKE 'team_bench%'`,
  )) as [Wallets];
  const sample = (await (await fetch(product.url)).json()) as BookingRow;
  return { databaseUrl, product, sample, all: range };
}

async function byDomain(
  { product }: Posting,
  { wallets, clients }: Demand,
  seconds: number,
  grouped: boolean,
): Promise<number> {
  const postings: Postings = { ...wallets, clients, seconds, grouped };
  const answer = await fetch(product.url, { method: 'POST', body: JSON.stringify(postings) });
  if (!answer.ok) throw new Error(await answer.text());
  const posted = (await answer.json()) as Posted;
  return posted.count / posted.seconds;
}

/** Identifiers follow each other within a client, as those of the product do. */
const sets = [
  '\\set n :n + 1',
  '\\set id :base + :client_id * 10000000000 + :n',
  '\\set wallet random(:first, :last)',
  ...[1, 2, 3, 4].map((place) => `\\set event${place} :id * 4 + ${place}`),
];

/** What `createBooking.instant` is given, by column; then come its events, and no Idempotency-Key. */
const given: Readonly<Partial<Record<GivenName, string>>> = {
  id: ':id',
  wallet_id: ':wallet',
  booking_reference: ':id',
  amount_cents: ':amount',
  offer_id: ':offer',
  supplier: ':supplier',
  supplier_reference: ':reference',
  passengers: ':passengers',
  sealed_travellers: ':travellers',
  slices: ':slices',
  terms: ':terms',
  departs_at: ':departs',
  debit_id: ':id',
  created_at: ':now',
};
const parameters = [
  ...givenOf('instant').map(({ name }) => {
    const value = given[name];
    if (value === undefined) throw new Error(`nothing is said of ${name}`);
    return value;
  }),
  'ARRAY[:event1, :event2, :event3, :event4]',
  ...Array.from({ length: 6 }, () => 'NULL'),
];

/** Longest slice that pgbench is given where its clients take long to connect. */
const longestSeconds = 32;

/** Slices of pgbench, longer ones where its clients take long to connect: those to come are as long from the start. */
function pgbenchOf(bench: Bench, posting: Posting, demand: Demand): (seconds: number) => Promise<number> {
  let enough = 0;
  return async (seconds) => {
    for (let length = Math.max(seconds, enough); length <= longestSeconds; length *= 2) {
      const rate = await runPgbench(bench, posting, demand, length);
      enough = length;
      if (rate !== null) return rate;
    }
    throw new Error(`pgbench does nothing within ${longestSeconds} s`);
  };
}

let runs = 0;

function runPgbench(
  bench: Bench,
  posting: Posting,
  { wallets: { first, last }, clients }: Demand,
  seconds: number,
): Promise<number | null> {
  const { sample, databaseUrl } = posting;
  runs += 1;
  return pgbench({
    program: bench.place.pgbench ?? '',
    databaseUrl,
    scriptPath: join(bench.place.folder, 'booking.sql'),
    statement: createBooking.instant.statement.text,
    parameters,
    sets,
    constants: {
      n: '0',
      base: String(runs * 1_000_000_000_000),
      first: String(first),
      last: String(last),
      amount: sample.amount_cents,
      now: new Date().toISOString(),
      offer: sample.offer_id,
      supplier: sample.supplier,
      reference: sample.supplier_reference,
      passengers: JSON.stringify(sample.passengers),
      travellers: sample.sealed_travellers,
      slices: JSON.stringify(sample.slices),
      terms: JSON.stringify(sample.terms),
      departs: String(sample.departs_at),
    },
    clients,
    seconds,
  });
}

/** Bookings whose debit, entry or events are not there: none. pgbench gives a booking and its debit one id. */
const incomplete = `
  WITH told AS (SELECT subject_id, count(*) AS events FROM events GROUP BY subject_id)
  SELECT count(*)::int AS count FROM bookings b
    LEFT JOIN wallet_entries e ON e.id = b.debit_id AND e.amount_cents = b.amount_cents
    LEFT JOIN told t ON t.subject_id = b.id
    LEFT JOIN told d ON d.subject_id = b.debit_id AND b.debit_id <> b.id
   WHERE e.id IS NULL OR coalesce(t.events, 0) + coalesce(d.events, 0) <> 3`;

type Entrant = 'alone' | 'pgbench' | 'grouped';

type Rates = Partial<Record<Entrant, number[]>>;

/** Slices of each entrant, starting with another one each round. @returns the rates of each, by round. */
async function inTurns(
  bench: Bench,
  posting: Posting,
  demand: Demand,
  names: readonly Entrant[],
  rounds = bench.pace.rounds,
): Promise<Rates> {
  const byPgbench = pgbenchOf(bench, posting, demand);
  const slice = (name: Entrant, seconds: number) =>
    name === 'pgbench' ? byPgbench(seconds) : byDomain(posting, demand, seconds, name === 'grouped');
  const rates: Rates = {};
  // Those of pgbench are warm by its own means: its sessions are new in each slice, whose first second does not count.
  for (const name of names) if (name !== 'pgbench') await slice(name, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const turn of names.keys()) {
      const name = names[(turn + round) % names.length] as Entrant;
      rates[name] = [...(rates[name] ?? []), await slice(name, Math.max(2, bench.pace.seconds))];
    }
  }
  return rates;
}

const unit = '× pgbench -M prepared';

/** Of a case: the share of pgbench's rate that `entrant` reaches in the same round. */
function share(rates: Rates, entrant: 'alone' | 'grouped'): number {
  const shares = rates[entrant]?.map((rate, round) => rate / (rates.pgbench?.[round] ?? Number.NaN));
  return median(shares ?? []);
}

const ratesOf = (name: string, rates: Rates): Figure[] =>
  Object.entries(rates).map(([entrant, measured]) => ({
    name: `${name}, ${entrant}`,
    measured: median(measured),
    unit: 'bookings/s',
  }));

async function run(bench: Bench): Promise<Outcome> {
  const posting = await open(bench);
  const one = { first: posting.all.first, last: posting.all.first };
  const cases = [
    ['one wallet', one, 5],
    ['1 000 wallets', posting.all, 0.95],
  ] as const;
  const figures: Figure[] = [];
  for (const [name, wallets, groupedGoal] of cases) {
    const demand = { wallets, clients: usualClients };
    const rates = await inTurns(bench, posting, demand, ['alone', 'pgbench', 'grouped']);
    figures.push(
      { name, measured: share(rates, 'alone'), unit, goal: { atLeast: 0.95 } },
      { name: `${name}, grouped`, measured: share(rates, 'grouped'), unit, goal: { atLeast: groupedGoal } },
      ...ratesOf(name, rates),
    );
  }
  const many = `one wallet, ${manyClients} clients`;
  const crowded = { wallets: one, clients: manyClients };
  const rounds = Math.min(crowdRounds, bench.pace.rounds);
  const crowd = await inTurns(bench, posting, crowded, ['pgbench', 'grouped'], rounds);
  figures.push(
    { name: `${many}, grouped`, measured: share(crowd, 'grouped'), unit },
    ...ratesOf(many, crowd),
  );
  const [broken] = (await administer(posting.databaseUrl, incomplete)) as [{ count: number }];
  figures.push({
    name: 'incomplete bookings',
    measured: broken.count,
    unit: 'bookings',
    goal: { exactly: 0 },
  });
  return {
    figures,
    notes: [
      `${usualClients} clients; each booking is one statement: wallet, booking, entry, day and three events.`,
      `A group is what waits at one moment: at most ${usualClients} bookings of as many clients. With ${manyClients} clients on each side groups are larger, and pgbench's wait longer for the wallet.`,
    ],
  };
}

export const bookings: Work = {
  title: 'Bookings, posting statement',
  takes: { once: 18, round: 14.4, timed: true },
  needs: ['postgres', 'pgbench'],
  run,
};
