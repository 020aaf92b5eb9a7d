import { expect, it } from 'vitest';
import type { SupplierOffer } from '../../src/infrastructure/flights/supplier.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { type Answer, AnsweringSuppliers, offering } from './answeringSuppliers.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { oneWay } from './searches.ts';

const searches = 20;
const nothing: Answer = async () => [];
const suppliers = new AnsweringSuppliers();

/** Pieces of work, each longer than a turn's share, and how many of them were done before the process had served another. */
class LongPieces {
  readonly #url: string;
  done = 0;
  doneBeforeOther: number | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  do(): void {
    this.done += 1;
    if (this.done === 1)
      void restRequest(this.#url, 'GET', '/health/live').then(() => {
        this.doneBeforeOther = this.done;
      });
    const begunMs = performance.now();
    while (performance.now() - begunMs < 20);
  }
}

/** An offer that tells of each time that its currency is read: the how manieth it is. */
const readable =
  (onRead: (reads: number) => void) =>
  (offer: SupplierOffer): SupplierOffer => {
    const { currency } = offer;
    let reads = 0;
    return Object.defineProperty({ ...offer }, 'currency', {
      enumerable: true,
      get() {
        reads += 1;
        onRead(reads);
        return currency;
      },
    });
  };

/** What is told of reads of offers, and of when all searches go on. */
interface Listening {
  onRead(reads: number): void;
  onGoOn?(): void;
}

interface Reads {
  inspecting: number;
  all: number;
}

describeFlightDoors(
  'Searches of a moment are done in turns of the process, between which it does what others ask of it',
  (stage) => {
    const expectOthersServed = async (pieces: LongPieces) => {
      await eventually(() => pieces.doneBeforeOther !== null);
      expect(pieces.done).toBe(searches);
      expect(pieces.doneBeforeOther).toBeLessThan(searches);
    };

    it('where suppliers are asked', async () => {
      const { live: key } = await stage.server.createTeam();
      const pieces = new LongPieces(stage.server.url);
      suppliers.answers = {
        one: async () => {
          pieces.do();
          return [];
        },
        other: nothing,
      };
      const many = Array.from({ length: searches }, (_, n) => `a${n}: flightSearch(search: $search) { id }`);
      const query = `query ($search: FlightSearchInput!) { ${many.join(' ')} }`;
      const { body } = await stage.server.graphql(query, { search: oneWay('GRU-LIS') }, key);
      expect(Object.keys(body.data)).toHaveLength(searches);
      await expectOthersServed(pieces);
    });

    /** So many searches, which all go on once the offers of all are found to be sound. */
    const searchAtOnce = async (key: string, count: number, { onRead, onGoOn = () => {} }: Listening) => {
      let inspected = 0;
      const onOfferRead = (reads: number) => {
        if (reads === 1) inspected += 1;
        onRead(reads);
      };
      const all = eventually(() => inspected === count).then(onGoOn);
      suppliers.answers = {
        one: offering(1, readable(onOfferRead)),
        other: async () => {
          await all;
          return [];
        },
      };
      const outcomes = await Promise.all(
        Array.from({ length: count }, () => stage.door.search(key, oneWay('GRU-LIS'))),
      );
      expect(outcomes.map(({ found }) => found?.offers.length)).toEqual(Array(count).fill(1));
    };

    /** How often the offer of one search alone is read: until it is found to be sound, and in all. */
    const countReads = async (key: string): Promise<Reads> => {
      const reads = { inspecting: 0, all: 0 };
      await searchAtOnce(key, 1, {
        onRead: (count) => {
          reads.all = count;
        },
        onGoOn: () => {
          reads.inspecting = reads.all;
        },
      });
      return reads;
    };

    it.each([
      ['priced', ({ inspecting }: Reads) => inspecting + 1],
      ['put together', ({ all }: Reads) => all],
    ])('where offers are %s', async (_what, longReadOf) => {
      const { live: key } = await stage.server.createTeam();
      const longRead = longReadOf(await countReads(key));
      const pieces = new LongPieces(stage.server.url);
      const onRead = (reads: number) => {
        if (reads === longRead) pieces.do();
      };
      await searchAtOnce(key, searches, { onRead });
      await expectOthersServed(pieces);
    });
  },
  { flightSuppliers: [suppliers.named('one'), suppliers.named('other')], describeOn: describeOneEngine },
);
