import { Agent, request as send } from 'node:http';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { median } from '../contest.ts';
import type { Figure, Outcome, Work } from '../work.ts';
import { createAgency } from '../world.ts';
import { hundredOffers, type KnownSearch } from './hundredOffers.ts';

/**
 * Searches one after the other, each next to what cannot be spared: the same question to the same supplier in this
 * process, and JSON.stringify of the object that was answered.
 */

/** Searches until everything has been compiled: after 150 the product is still a tenth slower. */
const warmUp = 800;
const searchesInRound = 40;

interface Door {
  search(body: string): Promise<{ ms: number; text: string }>;
  /** How long suppliers took until now in the product itself, by its metrics. */
  supplierSeconds(): Promise<{ sum: number; count: number }>;
  close(): void;
}

/** One connection to the REST door, without anything that would wait or retry. */
function openDoor(url: string, key: string): Door {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const search: Door['search'] = (body) =>
    new Promise((resolve, reject) => {
      const startedMs = performance.now();
      const sent = send(`${url}/api/v1/flights/search`, { method: 'POST', agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const ms = performance.now() - startedMs;
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve({ ms, text });
          else reject(new Error(`${response.statusCode}: ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    search,
    async supplierSeconds() {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const of = (what: string) =>
        Number(
          new RegExp(`^embarque_flight_supplier_seconds_${what}\\{.*\\} (\\S+)$`, 'm').exec(metrics)?.[1],
        );
      return { sum: of('sum'), count: of('count') };
    },
    close: () => agent.destroy(),
  };
}

interface Round {
  readonly searchMs: number[];
  readonly supplierMs: number[];
  readonly stringifyMs: number[];
}

async function measureOnce({ askSupplier, body }: KnownSearch, answer: unknown, door: Door, round: Round) {
  const startedMs = performance.now();
  await askSupplier();
  const suppliedMs = performance.now();
  JSON.stringify(answer);
  round.stringifyMs.push(performance.now() - suppliedMs);
  round.supplierMs.push(suppliedMs - startedMs);
  round.searchMs.push((await door.search(body)).ms);
}

async function measure(name: string, search: KnownSearch, door: Door, searches: number) {
  const { text } = await door.search(search.body);
  const answer: unknown = JSON.parse(text);
  const round: Round = { searchMs: [], supplierMs: [], stringifyMs: [] };
  for (let done = 0; done < warmUp; done += 1) await measureOnce(search, answer, door, round);
  for (const times of Object.values(round) as number[][]) times.length = 0;
  const before = await door.supplierSeconds();
  for (let done = 0; done < searches; done += 1) await measureOnce(search, answer, door, round);
  const after = await door.supplierSeconds();
  const { searchMs, supplierMs, stringifyMs } = round;
  const least = supplierMs.map((ms, index) => ms + (stringifyMs[index] ?? 0));
  const withinMs = ((after.sum - before.sum) / (after.count - before.count)) * 1_000;
  const figures: Figure[] = [
    {
      name,
      measured: median(searchMs.map((ms, index) => ms / (least[index] ?? Number.NaN))),
      unit: '× (supplier + JSON.stringify)',
      goal: { atMost: 1.5 },
    },
    { name: `${name}, REST`, measured: median(searchMs), unit: 'ms' },
    { name: `${name}, supplier`, measured: median(supplierMs), unit: 'ms' },
    { name: `${name}, supplier within the product, mean`, measured: withinMs, unit: 'ms' },
    { name: `${name}, JSON.stringify`, measured: median(stringifyMs), unit: 'ms' },
  ];
  const size = Math.round(Buffer.byteLength(text) / 1_024);
  return { figures, note: `${name}: ${search.route}, ${search.offerCount} offers in ${size} KiB` };
}

async function run(bench: Bench): Promise<Outcome> {
  const { databaseUrl, redisUrl, folder } = bench.place;
  const server = await bench.product('flight search', {
    ...(databaseUrl ? { DATABASE_URL: await bench.database() } : { DATA_DIR: join(folder, 'flights') }),
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
  });
  const { key } = await createAgency(server.url, 'Agência de Viagens');
  const door = openDoor(server.url, key);
  const searches = bench.pace.rounds * searchesInRound;
  try {
    const oneWay = await measure('one way', await hundredOffers(false), door, searches);
    const roundTrip = await measure('round trip', await hundredOffers(true), door, searches);
    return {
      figures: [...oneWay.figures, ...roundTrip.figures],
      notes: [
        `${searches} searches of each, one at a time over one connection; ratios within each pair, their median. ` +
          `${oneWay.note}; ${roundTrip.note}.`,
      ],
    };
  } finally {
    door.close();
  }
}

export const flightSearch: Work = {
  title: 'Flight search, 100 offers, 1 connection',
  takesSeconds: 25,
  needs: [],
  run,
};
