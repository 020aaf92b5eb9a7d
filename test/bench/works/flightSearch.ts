import { once } from 'node:events';
import { connect } from 'node:net';
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

/** Searches of each kind until everything has been compiled: after 800 the product is still a tenth slower. */
const warmUp = 2_000;

/** The two kinds take turns, since the speed of a machine changes from second to second. */
const slicesInRound = 4;
const searchesInSlice = 20;

interface Door {
  /** @returns how long the answer took; what it says is read when it is asked for. */
  search(body: string): Promise<{ ms: number; text(): string }>;
  /** How long suppliers took until now in the product itself, all searches together, by its metrics. */
  supplierSeconds(): Promise<number>;
  close(): void;
}

const okStatus = 'HTTP/1.1 200 ';

/** Where the head of an answer ends. */
const emptyLine = '\r\n\r\n';

/** Room for any answer to a search. */
const roomBytes = 4 * 1_024 * 1_024;

/**
 * One connection to the REST door, without a client of HTTP, a buffer for each piece that comes and a text of each answer,
 * the garbage of which is collected while the next is waited for: each takes a twentieth of the time of a search for
 * itself. Answers come whole, behind their length.
 */
async function openDoor(url: string, key: string): Promise<Door> {
  const { hostname, port } = new URL(url);
  const room = Buffer.alloc(roomBytes);
  let taken = 0;
  let take = () => {};
  const received = (length: number) => {
    taken += length;
    take();
    return true;
  };
  const connection = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: { buffer: () => room.subarray(taken), callback: received },
  });
  await once(connection, 'connect');
  // Its end follows, which whoever waits for an answer hears.
  connection.on('error', () => undefined);
  const search: Door['search'] = (body) =>
    new Promise((resolve, reject) => {
      const head = [
        'POST /api/v1/flights/search HTTP/1.1',
        `Host: ${hostname}:${port}`,
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
      ];
      const fail = () => reject(new Error('the connection has ended'));
      connection.once('close', fail);
      let bytes = 0;
      const startedMs = performance.now();
      take = () => {
        bytes ||= bytesOf(room.subarray(0, taken));
        if (taken < bytes) return;
        const ms = performance.now() - startedMs;
        connection.off('close', fail);
        // The room for the next piece is asked for as soon as this one is taken.
        taken = 0;
        // Until the next search.
        const answer = room.subarray(0, bytes);
        const text = () => answer.toString('utf8', answer.indexOf(emptyLine) + emptyLine.length);
        if (answer.toString('latin1', 0, okStatus.length) === okStatus) resolve({ ms, text });
        else reject(new Error(answer.toString()));
      };
      connection.write(head.join('\r\n') + emptyLine + body);
    });
  return {
    search,
    async supplierSeconds() {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/^embarque_flight_supplier_seconds_sum\{.*\} (\S+)$/m.exec(metrics)?.[1]);
    },
    close: () => connection.destroy(),
  };
}

/** Of the whole answer that begins here. */
function bytesOf(beginning: Buffer): number {
  const headBytes = beginning.indexOf(emptyLine) + emptyLine.length;
  const length = /^content-length: (\d+)/im.exec(beginning.toString('latin1', 0, headBytes))?.[1];
  return headBytes + Number(length);
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

/** A search that is measured, and what it is answered. */
interface Entrant {
  readonly name: string;
  readonly search: KnownSearch;
  readonly answer: unknown;
  readonly kibibytes: number;
  readonly round: Round;
  /** Seconds of the supplier in the product, in all searches that were measured. */
  suppliedSeconds: number;
}

async function entrantOf(name: string, search: KnownSearch, door: Door): Promise<Entrant> {
  const text = (await door.search(search.body)).text();
  const kibibytes = Math.round(Buffer.byteLength(text) / 1_024);
  const round: Round = { searchMs: [], supplierMs: [], stringifyMs: [] };
  const entrant = { name, search, answer: JSON.parse(text) as unknown, kibibytes, round, suppliedSeconds: 0 };
  for (let done = 0; done < warmUp; done += 1) await measureOnce(search, entrant.answer, door, round);
  for (const times of Object.values(round) as number[][]) times.length = 0;
  return entrant;
}

async function measureSlice(entrant: Entrant, door: Door): Promise<void> {
  const before = await door.supplierSeconds();
  for (let done = 0; done < searchesInSlice; done += 1)
    await measureOnce(entrant.search, entrant.answer, door, entrant.round);
  entrant.suppliedSeconds += (await door.supplierSeconds()) - before;
}

function figuresOf({ name, round, suppliedSeconds }: Entrant): Figure[] {
  const { searchMs, supplierMs, stringifyMs } = round;
  const least = supplierMs.map((ms, index) => ms + (stringifyMs[index] ?? 0));
  return [
    {
      name,
      measured: median(searchMs.map((ms, index) => ms / (least[index] ?? Number.NaN))),
      unit: '× (supplier + JSON.stringify)',
      goal: { atMost: 1.5 },
    },
    { name: `${name}, REST`, measured: median(searchMs), unit: 'ms' },
    { name: `${name}, supplier`, measured: median(supplierMs), unit: 'ms' },
    {
      name: `${name}, supplier within the product, mean`,
      measured: (suppliedSeconds / searchMs.length) * 1_000,
      unit: 'ms',
    },
    { name: `${name}, JSON.stringify`, measured: median(stringifyMs), unit: 'ms' },
  ];
}

async function run(bench: Bench): Promise<Outcome> {
  const { databaseUrl, redisUrl, folder } = bench.place;
  const server = await bench.product('flight search', {
    ...(databaseUrl ? { DATABASE_URL: await bench.database() } : { DATA_DIR: join(folder, 'flights') }),
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
  });
  const { key } = await createAgency(server.url, 'Agência de Viagens');
  const door = await openDoor(server.url, key);
  try {
    const entrants = [
      await entrantOf('one way', await hundredOffers(false), door),
      await entrantOf('round trip', await hundredOffers(true), door),
    ];
    for (let slice = 0; slice < slicesInRound * bench.pace.rounds; slice += 1) {
      for (const entrant of entrants) await measureSlice(entrant, door);
    }
    const searched = entrants.map(
      ({ name, search, kibibytes }) =>
        `${name}: ${search.route}, ${search.offerCount} offers in ${kibibytes} KiB`,
    );
    return {
      figures: entrants.flatMap(figuresOf),
      notes: [
        `${entrants[0]?.round.searchMs.length} searches of each in turns of ${searchesInSlice}, one at a time over ` +
          `one connection; ratios within each pair, their median. ${searched.join('; ')}.`,
      ],
    };
  } finally {
    door.close();
  }
}

export const flightSearch: Work = {
  title: 'Flight search, 100 offers, 1 connection',
  takes: { once: 6, round: 7 },
  needs: [],
  run,
};
