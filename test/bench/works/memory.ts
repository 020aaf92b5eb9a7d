import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Contender, MemorySample } from '../contender.ts';
import type { Asking } from '../load.ts';
import type { Figure, Work } from '../work.ts';
import { createAgency } from '../world.ts';

/**
 * One process, api and worker, under the requests of an hour, sent as fast as it answers. Its memory is taken after
 * each of equal portions, after garbage collections; what counts is the slope through them, so that neither a lucky
 * last sample nor what the first requests compile and cache decides.
 */

/** Ten a second, for an hour. */
const requestsInHour = 36_000;
const portions = 12;
/** Portions until everything has been compiled and cached once. */
const warmPortions = 3;
const teamCount = 40;

type Turn = Asking & { readonly path: string };

const get = (path: string): Turn => ({ path, method: 'GET', idempotent: false });
const post = (path: string, body: object, idempotent = false): Turn => ({
  path,
  method: 'POST',
  body: JSON.stringify(body),
  idempotent,
});

const departure = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);
const search = (origin: string, destination: string) =>
  post('/api/v1/flights/search', {
    type: 'one_way',
    slices: [{ origin, destination, departureDate: departure }],
    passengers: [{ type: 'adult', count: 1 }],
  });
const graphql = (query: string) => post('/graphql', { query });

const balance = get('/api/v1/wallet/balance');
const transactions = get('/api/v1/wallet/transactions?limit=50');
const balanceQuery = graphql('{ walletBalance { balance availableCredit } }');
const recharge = post(
  '/api/v1/wallet/recharge',
  { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
  true,
);

/** In 20 requests: 7 balances, 4 pages of transactions, 5 GraphQL queries, 2 recharges, 2 flight searches. */
const mix: readonly Turn[] = [
  ...[balance, transactions, balanceQuery, balance, search('GRU', 'LIS'), balance, transactions],
  ...[
    balanceQuery,
    recharge,
    balance,
    graphql('{ walletTransactions(limit: 20) { transactions { id amount } } }'),
  ],
  ...[
    transactions,
    balance,
    balanceQuery,
    search('SAO', 'RIO'),
    balance,
    transactions,
    balanceQuery,
    recharge,
  ],
  balance,
];

async function openServer(bench: Bench): Promise<Contender> {
  const { databaseUrl, redisUrl, folder } = bench.place;
  const settings: Record<string, string> = { ROLES: 'api,worker' };
  if (databaseUrl) settings.DATABASE_URL = await bench.database();
  else settings.DATA_DIR = join(folder, 'memory');
  if (redisUrl) settings.REDIS_URL = redisUrl;
  return bench.product('memory under load', settings, true);
}

/** Growth for each portion by least squares, and where the line starts. */
function lineThrough(values: readonly number[]): { slope: number; start: number } {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let covariance = 0;
  let variance = 0;
  for (const [index, value] of values.entries()) {
    covariance += (index - middle) * (value - mean);
    variance += (index - middle) ** 2;
  }
  const slope = covariance / variance;
  return { slope, start: mean - slope * middle };
}

/** What an hour makes of it, as a ratio. */
function growthInHour(values: readonly number[]): number {
  const { slope, start } = lineThrough(values);
  return (start + slope * portions) / start;
}

const mebibytes = (bytes: number) => bytes / 2 ** 20;

function figuresOf(samples: readonly MemorySample[]): Figure[] {
  const warm = samples.slice(warmPortions);
  const ends = (name: string, bytesOf: (sample: MemorySample) => number): Figure[] => [
    { name: `${name} at the start`, measured: mebibytes(bytesOf(samples[0] as MemorySample)), unit: 'MiB' },
    { name: `${name} at the end`, measured: mebibytes(bytesOf(samples.at(-1) as MemorySample)), unit: 'MiB' },
    {
      name: `${name} after an hour, by slope`,
      measured: growthInHour(warm.map(bytesOf)),
      unit: '× before',
      goal: { atMost: 1.1 },
    },
  ];
  return [...ends('heap', ({ heapUsed }) => heapUsed), ...ends('RSS', ({ rss }) => rss)];
}

async function run(bench: Bench) {
  const server = await openServer(bench);
  const keys: string[] = [];
  for (let index = 0; index < teamCount; index += 1)
    keys.push((await createAgency(server.url, `Agência ${index + 1}`)).key);
  const samples = [await server.memory()];
  const started = performance.now();
  for (let portion = 0; portion < portions; portion += 1) {
    const slice = { url: server.url, turns: mix, keys, connections: 20, seconds: 0 };
    await bench.generator.drive({
      ...slice,
      method: 'GET',
      idempotent: false,
      amount: requestsInHour / portions,
    });
    samples.push(await server.memory());
  }
  const seconds = Math.round((performance.now() - started) / 1_000);
  const heaps = samples.map(({ heapUsed }) => mebibytes(heapUsed).toFixed(1));
  const notes = [
    `${requestsInHour} requests in ${seconds} s; heap after each portion ${heaps.join(', ')} MiB`,
  ];
  return { figures: figuresOf(samples), notes };
}

export const memory: Work = {
  title: 'Memory over an hour of mixed load, 10 requests a second',
  takes: { once: 36, round: 0 },
  needs: [],
  run,
};
