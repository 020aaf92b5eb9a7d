import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { MemorySample } from '../contender.ts';
import type { Figure, Outcome, Work } from '../work.ts';
import { createAgency } from '../world.ts';
import { hundredOffers, knownSearch } from './hundredOffers.ts';

/**
 * The memory of one process through ten thousand searches, taken after garbage collections. Most find few offers, so
 * that it takes a minute: what could pile up does so by the search, not by the offer; `--full` has a hundred in each.
 */

const searches = 10_000;
const portions = 10;
/** Searches of few offers for each one of a hundred. */
const fewPerHundred = 4;
/** After these, everything has been compiled and cached once. */
const warmPortions = 2;

const mebibytes = (bytes: number) => bytes / 2 ** 20;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of the last portions over that of the first warm ones: no single sample decides. */
function growth(samples: readonly MemorySample[], bytesOf: (sample: MemorySample) => number): number {
  const warm = samples.slice(warmPortions).map(bytesOf);
  const third = Math.floor(warm.length / 3);
  return mean(warm.slice(-third)) / mean(warm.slice(0, third));
}

function figuresOf(samples: readonly MemorySample[]): Figure[] {
  const of = (name: string, bytesOf: (sample: MemorySample) => number): Figure[] => [
    {
      name: `${name}, last portions`,
      measured: growth(samples, bytesOf),
      unit: '× first portions',
      goal: { atMost: 1.1 },
    },
    ...[warmPortions, samples.length - 1].map((index) => ({
      name: `${name} after ${(index * searches) / portions} searches`,
      measured: mebibytes(bytesOf(samples[index] as MemorySample)),
      unit: 'MiB',
    })),
  ];
  return [...of('heap', ({ heapUsed }) => heapUsed), ...of('RSS', ({ rss }) => rss)];
}

async function run(bench: Bench): Promise<Outcome> {
  const { databaseUrl, folder } = bench.place;
  const server = await bench.product(
    'flight memory',
    databaseUrl ? { DATABASE_URL: await bench.database() } : { DATA_DIR: join(folder, 'flight-memory') },
    true,
  );
  const { key } = await createAgency(server.url, 'Agência de Viagens');
  const many = await hundredOffers(false);
  const few = await knownSearch('FEN-REC', 60, false);
  const asked = bench.pace.full ? [many] : [many, ...Array.from({ length: fewPerHundred }, () => few)];
  const path = '/api/v1/flights/search';
  const turns = asked.map(({ body }) => ({ path, method: 'POST' as const, body, idempotent: false }));
  const samples = [await server.memory()];
  for (let portion = 0; portion < portions; portion += 1) {
    const slice = { url: server.url, turns, keys: [key], connections: 5, seconds: 0 };
    const amount = searches / portions;
    await bench.generator.drive({ ...slice, method: 'POST', idempotent: false, amount });
    samples.push(await server.memory());
  }
  const series = (bytesOf: (sample: MemorySample) => number) =>
    samples.map((sample) => mebibytes(bytesOf(sample)).toFixed(1)).join(', ');
  const kinds = asked.map(({ route, offerCount }) => `${offerCount} offers (${route})`);
  return {
    figures: figuresOf(samples),
    notes: [
      `${searches} searches over 5 connections, in turn of ${[...new Set(kinds)].join(` and ${fewPerHundred} of `)}.`,
      `Heap, before and after each portion: ${series(({ heapUsed }) => heapUsed)} MiB.`,
      `RSS: ${series(({ rss }) => rss)} MiB.`,
    ],
  };
}

export const flightMemory: Work = {
  title: 'Memory over 10 000 flight searches',
  takes: { once: 24, round: 0 },
  needs: [],
  run,
};
