import { beforeEach, expect, it } from 'vitest';
import type { SupplierOffer, SupplierSlice } from '../../src/infrastructure/flights/supplier.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { unreadable } from '../harness/unreadable.ts';
import { type Answer, AnsweringSuppliers, offering, priced } from './answeringSuppliers.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { offerFields, oneWay } from './searches.ts';

const secret = 'connect ECONNREFUSED 10.0.0.7:443 token=abc';
const suppliers = new AnsweringSuppliers();
const { asked } = suppliers;

const never: Answer = () => new Promise(() => undefined);
const failing: Answer = async () => {
  throw new Error(secret);
};
const throwing: Answer = () => {
  throw new Error(secret);
};

const throwingWhat =
  (thrown: unknown): Answer =>
  () =>
    Promise.reject(thrown);

const unprepared = [
  suppliers.named('one', () => {
    throw new Error(secret);
  }),
  suppliers.named('other', async () => {
    throw new Error(secret);
  }),
];

const unavailable = (reason: string) => ({
  code: 'VALIDATION_ERROR',
  message: 'Flight search unavailable',
  details: { reason },
});

describeFlightDoors(
  'flight suppliers',
  (stage) => {
    beforeEach(() => {
      asked.length = 0;
      suppliers.answers = { one: offering(3), other: offering(2) };
    });

    it('are asked by all searches of a batch side by side', async () => {
      const { live: key } = await stage.server.createTeam();
      suppliers.answers = {
        one: async () => {
          await eventually(() => asked.length === 6);
          return [];
        },
        other: async () => [],
      };
      const query = 'query ($search: FlightSearchInput!) { flightSearch(search: $search) { offers { id } } }';
      const body = Array.from({ length: 3 }, () => ({ query, variables: { search: oneWay('GRU-LIS') } }));
      const answer = await stage.server.rest('POST', '/graphql', { key, body });
      expect(answer.body).toEqual(Array(3).fill({ data: { flightSearch: { offers: [] } } }));
    });

    it('are all asked, and their offers merged in order of client_amount', async () => {
      suppliers.answers = {
        one: offering(2, priced('BRL', '1000.00')),
        other: offering(3, priced('USD', '100.00')),
      };
      const { live } = await stage.server.createTeam();
      const { found } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(found.offers.map(({ base_cost_brl }: Json) => base_cost_brl)).toEqual([
        '540.00',
        '540.00',
        '540.00',
        '1000.00',
        '1000.00',
      ]);
      expect(new Set(found.offers.map(({ id }: Json) => id)).size).toBe(5);
    });

    it.each([
      ['fails', failing],
      ['throws at once', throwing],
      ['is too slow and deaf to its signal', never],
      ['throws nothing', throwingWhat(null)],
      ['throws a text', throwingWhat(secret)],
      ['throws what is frozen', throwingWhat(Object.freeze(new Error(secret)))],
      ['throws what breaks when it is read', throwingWhat(unreadable())],
    ])('leave partial results when one %s, and none of its text', async (_how, answer) => {
      suppliers.answers.other = answer;
      const { live } = await stage.server.createTeam();
      const { status, found, error } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect([status, error]).toEqual([200, null]);
      expect(found.offers).toHaveLength(3);
      expect(JSON.stringify(found)).not.toContain('ECONNREFUSED');
      const told = stage.server.logLines.filter((line) => line.includes('flight supplier did not answer'));
      expect(JSON.parse(told.at(-1)!).supplier).toBe('other');
    });

    it('are told when they are cut off, and not when they answered', async () => {
      suppliers.answers.other = never;
      const { live } = await stage.server.createTeam();
      await stage.door.search(live, oneWay('GRU-LIS'));
      expect(asked.map(({ signal }) => signal.aborted)).toEqual([false, true]);
    });

    it.each([
      ['fail', failing, failing, 'failed'],
      ['are too slow', never, never, 'timeout'],
      ['fail or are too slow', failing, never, 'timeout'],
    ])(
      'end in a clear error when all %s, which tells none of their text',
      async (_how, one, other, reason) => {
        suppliers.answers = { one, other };
        const { live } = await stage.server.createTeam();
        const { status, error } = await stage.door.search(live, oneWay('GRU-LIS'));
        expect(error).toEqual(unavailable(reason));
        expect(stage.door.refusedWith(422)).toContain(status);
        expect(JSON.stringify(error)).not.toContain('ECONNREFUSED');
      },
    );

    it('are counted and timed by how they ended', async () => {
      const { live } = await stage.server.createTeam();
      const countsOf = async () => {
        const { text } = await stage.server.rest('GET', '/metrics');
        const lines = text.matchAll(
          /^embarque_flight_supplier_seconds_(count|sum)\{supplier="(\w+)",outcome="(\w+)"\} (\S+)$/gm,
        );
        return new Map(
          [...lines].map(([, what, name, outcome, value]) => [`${what} ${name} ${outcome}`, Number(value)]),
        );
      };
      const before = await countsOf();
      const more = (after: Map<string, number>, key: string) =>
        (after.get(key) ?? 0) - (before.get(key) ?? 0);
      await stage.door.search(live, oneWay('GRU-LIS'));
      // What one works out the other waits for: both are of this process.
      suppliers.answers = { one: async () => [], other: failing };
      await stage.door.search(live, oneWay('GRU-LIS'));
      suppliers.answers.other = never;
      await stage.door.search(live, oneWay('GRU-LIS'));
      const after = await countsOf();
      expect(more(after, 'count one answered')).toBe(3);
      for (const outcome of ['answered', 'failed', 'timeout'])
        expect(more(after, `count other ${outcome}`)).toBe(1);
      expect(more(after, 'sum other timeout')).toBeGreaterThanOrEqual(0.149);
      expect(more(after, 'sum other failed')).toBeLessThan(0.149);
    });

    it('that have nothing are an answer, beside one that fails', async () => {
      suppliers.answers = { one: async () => [], other: failing };
      const { live } = await stage.server.createTeam();
      const { status, found } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(status).toBe(200);
      expect(found.offers).toEqual([]);
    });

    it('that offer what was not asked for are not believed: the rest of their offers stays', async () => {
      const withSlices = (change: (slice: SupplierSlice) => SupplierSlice[]) => (offer: SupplierOffer) => ({
        ...offer,
        slices: offer.slices.flatMap(change),
      });
      const withPassengers = (count: number) =>
        withSlices((slice) => [
          {
            ...slice,
            segments: slice.segments.map(({ flight, passengers }) => ({
              flight,
              passengers: Array.from({ length: count }, () => passengers[0]!),
            })),
          },
        ]);
      const changes = [
        withSlices((slice) => [slice, slice]),
        withSlices(() => []),
        withSlices((slice) => [{ ...slice, segments: [] }]),
        withPassengers(0),
        withPassengers(2),
        withPassengers(1),
      ];
      const { live } = await stage.server.createTeam();
      suppliers.answers.other = async () => [];
      let at = 0;
      suppliers.answers.one = offering(changes.length, (offer) => changes[at++]!(offer));
      const { found } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(found.offers).toHaveLength(1);
      const document = `query ($id: String!) { offer(id: $id) { ${offerFields} } }`;
      const read = await stage.server.graphql(document, { id: found.offers[0].id }, live);
      expect(read.body.data.offer.id).toBe(found.offers[0].id);
      expect(stage.server.logLines.join('\n')).toMatch(/"dropped":5,.*offers that cannot be are left out/);
    });

    it('that ask or give back what is no amount of money are not believed', async () => {
      const asking = (totalAmount: string) => (offer: SupplierOffer) => ({ ...offer, totalAmount });
      const keeping = (penaltyAmount: string) => (offer: SupplierOffer) => ({
        ...offer,
        conditions: { ...offer.conditions, refundBeforeDeparture: { allowed: true, penaltyAmount } },
      });
      const changes = [
        ...['0', '0.00', '-100.00', '100.001', '1e3', '12345678901.00', ''].map(asking),
        ...['-0.01', '10%', '1.005'].map(keeping),
        (offer: SupplierOffer) => keeping('0.00')(asking('0.01')(offer)),
      ];
      const { live } = await stage.server.createTeam();
      suppliers.answers.other = async () => [];
      let at = 0;
      suppliers.answers.one = offering(changes.length, (offer) => changes[at++]!(offer));
      const { found } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(found.offers.map((offer: Json) => offer.total_amount)).toEqual(['0.01']);
    });

    it('may withdraw an offer before OFFER_LIFETIME has passed', async () => {
      const expiresAt = new Date(stage.clock.now().getTime() + 60_000);
      suppliers.answers = { one: offering(1, (offer) => ({ ...offer, expiresAt })), other: async () => [] };
      const { live } = await stage.server.createTeam();
      const { found } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(found.offers[0].expires_at).toBe(expiresAt.toISOString());
    });

    it('that cannot be prepared end nothing, and are asked all the same', async () => {
      suppliers.answers = { one: offering(1), other: offering(2) };
      for (const supplier of ['one', 'other'])
        await eventually(() =>
          stage.server.logLines.some(
            (line) =>
              line.includes('flight supplier not prepared') && line.includes(`"supplier":"${supplier}"`),
          ),
        );
      const { live } = await stage.server.createTeam();
      expect((await stage.door.search(live, oneWay('GRU-LIS'))).found?.offers).toHaveLength(3);
    });

    it('are not asked for a request that is refused', async () => {
      const { live } = await stage.server.createTeam();
      await stage.door.search(live, oneWay('GRU-XQX'));
      await stage.door.search(live, oneWay('GRU-LIS', '2020-01-01'));
      expect(asked).toEqual([]);
    });

    it('are not asked for a key that may not search', async () => {
      const { teamId } = await stage.server.createTeam();
      const { secret: key } = await stage.server.createKey({ teamId, kind: 'live', scopes: ['wallet:read'] });
      expect((await stage.door.search(key, oneWay('GRU-LIS'))).error.code).toBe('FORBIDDEN');
      expect(asked).toEqual([]);
    });

    it('are asked by team and mode: the sandbox only for test keys', async () => {
      const modes: boolean[] = [];
      suppliers.answers = {
        one: async ({ testMode }) => {
          modes.push(testMode);
          return [];
        },
        other: async () => [],
      };
      const { live, test } = await stage.server.createTeam();
      await stage.door.search(live, oneWay('GRU-LIS'));
      await stage.door.search(test, oneWay('GRU-LIS'));
      expect(modes).toEqual([false, true]);
    });
  },
  {
    flightSuppliers: unprepared,
    settings: { FLIGHT_SUPPLIER_TIMEOUT: '150ms' },
    describeOn: describeOneEngine,
  },
);
