import { describe, expect, it } from 'vitest';
import { findUsableOffer, forgetOldOffers } from '../../src/domain/flights/offerStore.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import type { Json } from '../harness/client.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { hourMs, minuteMs } from '../harness/testClock.ts';
import { describeFlightDoors } from './flightDoors.ts';
import { oneWay, readOffer, roundTrip } from './searches.ts';

const centsOf = (amount: string) => BigInt(amount.replace('.', ''));
const offerNotFound = { code: 'NOT_FOUND', message: 'Offer not found' };
const offerRequestNotFound = { code: 'NOT_FOUND', message: 'Offer request not found' };

async function tenantOf(server: TestServer, { teamId }: TeamKeys, mode: 'live' | 'test'): Promise<Tenant> {
  const [wallet] = await server.query<{ id: number }>(
    'SELECT id FROM wallets WHERE team_id = $1 AND mode = $2',
    [teamId, mode],
  );
  return { teamId, mode, walletId: wallet!.id };
}

interface Listing {
  sort?: string;
  filter?: Json;
  page?: number;
  limit?: number;
}

/** A stored search as GraphQL lists it; errors as their code and message. */
async function list(server: TestServer, key: string, id: string, listing: Listing = {}): Promise<Json> {
  const { body } = await server.graphql(
    `query ($id: String!, $sort: OfferSort = total_amount, $filter: OfferFilterInput, $page: PageNumber = 1, $limit: PageSize = 20) {
      offerRequest(id: $id, sort: $sort, filter: $filter, page: $page, limit: $limit) {
        id passengers { id } slices { departureDate } pagination { page limit total pages }
        offers { id clientAmount owner { iataCode } slices { duration segments { id } } }
      }
    }`,
    { id, ...listing },
    key,
  );
  const [error] = body.errors ?? [];
  if (!error) return body.data.offerRequest;
  const { code, details } = error.extensions;
  return { code, message: error.message, ...(details.field ? { field: details.field } : {}) };
}

const minutesOf = (duration: string) => {
  const [, hours = '0', minutes = '0'] = /^PT(?:(\d+)H)?(?:(\d+)M)?$/.exec(duration) ?? [];
  return Number(hours) * 60 + Number(minutes);
};

const journeyMinutes = (offer: Json) =>
  offer.slices.reduce((sum: number, slice: Json) => sum + minutesOf(slice.duration), 0);

describeFlightDoors('flight offers', (stage) => {
  const search = async (key: string, request: Json = oneWay('GRU-MIA')) => {
    const { found, error } = await stage.door.search(key, request);
    expect(error).toBeNull();
    return found;
  };

  it('are priced as SPEC composes it, to the cent, with the settings of the team', async () => {
    const { live } = await stage.server.createTeam({ markupPercent: '7.25', feeAmount: '35.10' });
    const currencies = new Set<string>();
    for (const route of ['GRU-MIA', 'GRU-MAD', 'GRU-GIG']) {
      for (const offer of (await search(live, roundTrip(route))).offers) {
        currencies.add(offer.total_currency);
        const base = centsOf(offer.base_cost_brl);
        const markup = centsOf(offer.agency_markup_amount);
        expect(centsOf(offer.client_amount)).toBe(base + markup + 3_510n);
        // The simulated world's prices are whole centavos, so that nobody has to know which base a markup is of.
        const rate = BigInt(Math.round(offer.exchange_rate_used * 100));
        expect(base * 100n).toBe(centsOf(offer.total_amount) * rate);
        expect(markup).toBe((base * 725n + 5_000n) / 10_000n);
        expect(offer).toMatchObject({
          client_currency: 'BRL',
          original_amount: Number(offer.total_amount),
          original_currency: offer.total_currency,
          agency_markup_percent: 7.25,
          agency_fee_amount: '35.10',
          markup_applied: offer.agency_markup_amount,
          fee_applied: '35.10',
        });
        expect(centsOf(offer.total_agency_commission)).toBe(markup + 3_510n);
      }
    }
    expect(currencies).toEqual(new Set(['BRL', 'USD', 'EUR']));
  });

  it('take a change of the team’s settings from the next search on, and keep the price of the one before', async () => {
    const { live, teamId } = await stage.server.createTeam({ markupPercent: '0' });
    const [before] = (await search(live)).offers;
    await stage.server.graphql(
      'mutation ($id: String!, $input: UpdateTeamInput!) { updateTeam(id: $id, input: $input) { id } }',
      { id: teamId, input: { markupPercent: '50', feeAmount: '1.00' } },
      stage.server.keys.operator,
    );
    const [after] = (await search(live)).offers;
    expect(after).toMatchObject({ agency_markup_percent: 50, agency_fee_amount: '1.00' });
    expect(await readOffer(stage.server, live, before.id)).toEqual(before);
  });

  it('are read by id exactly as they were shown, whatever the rates are by then', async () => {
    const { live } = await stage.server.createTeam({ markupPercent: '10', feeAmount: '35.00' });
    const { offers } = await search(live);
    stage.clock.advance(10 * minuteMs);
    for (const offer of [offers[0], offers.at(-1)])
      expect(await readOffer(stage.server, live, offer.id)).toEqual(offer);
  });

  it('belong to the team and mode that searched', async () => {
    const team = await stage.server.createTeam();
    const other = await stage.server.createTeam();
    const { id, offers } = await search(team.live);
    for (const key of [team.test, other.live]) {
      expect(await readOffer(stage.server, key, offers[0].id)).toEqual(offerNotFound);
      expect(await list(stage.server, key, id)).toEqual(offerRequestNotFound);
    }
  });

  it('are not found under ids that were never given', async () => {
    const { live } = await stage.server.createTeam();
    const { id, offers } = await search(live);
    // Of the same search, but no offer's.
    const neighbour = `off_${id.slice(4)}`;
    for (const unknown of ['', 'off_', `${offers[0].id}x`, neighbour, id, 'off_01h455vb4pex5vsknk084sn02q'])
      expect(await readOffer(stage.server, live, unknown)).toEqual(offerNotFound);
    for (const unknown of ['', 'orq_', `${id}x`, `orq_${offers[0].id.slice(4)}`, offers[0].id])
      expect(await list(stage.server, live, unknown)).toEqual(offerRequestNotFound);
  });

  it('are not shown unless they are stored', async () => {
    const { live } = await stage.server.createTeam();
    await stage.server.query('ALTER TABLE flight_searches RENAME TO flight_searches_away');
    try {
      const { found, error, status } = await stage.door.search(live, oneWay('GRU-LIS'));
      expect(found).toBeNull();
      expect(error).toMatchObject({ code: 'INTERNAL_ERROR', message: 'Internal error' });
      expect(stage.door.refusedWith(500)).toContain(status);
    } finally {
      await stage.server.query('ALTER TABLE flight_searches_away RENAME TO flight_searches');
    }
    expect((await search(live)).offers.length).toBeGreaterThan(0);
  });

  describe('when they have expired', () => {
    it('can be used until then, and still be read after it', async () => {
      const team = await stage.server.createTeam();
      const [offer] = (await search(team.live)).offers;
      expect(offer.expires_at).toBe(stage.clock.isoIn(20 * minuteMs));
      const { platform } = stage.server.running.gateway;
      const tenant = await tenantOf(stage.server, team, 'live');
      stage.clock.advance(20 * minuteMs - 1);
      const usable = await findUsableOffer(tenant, offer.id, platform);
      expect(usable.offer.clientAmount).toBe(offer.client_amount);
      expect(usable.internals).toMatchObject({
        supplier: 'simulated',
        clientAmountCents: centsOf(offer.client_amount),
      });
      stage.clock.advance(1);
      await expect(findUsableOffer(tenant, offer.id, platform)).rejects.toMatchObject({
        code: 'OFFER_EXPIRED',
        message: 'Offer expired',
        kind: 'unprocessable',
      });
      expect(await readOffer(stage.server, team.live, offer.id)).toEqual(offer);
    });

    it('cannot be used by another team or mode, expired or not', async () => {
      const team = await stage.server.createTeam();
      const [offer] = (await search(team.live)).offers;
      const { platform } = stage.server.running.gateway;
      const stranger = await tenantOf(stage.server, await stage.server.createTeam(), 'live');
      for (const tenant of [stranger, await tenantOf(stage.server, team, 'test')])
        await expect(findUsableOffer(tenant, offer.id, platform)).rejects.toMatchObject(offerNotFound);
    });

    it('are deleted an hour later, and no others', async () => {
      const { live } = await stage.server.createTeam();
      const { platform } = stage.server.running.gateway;
      const forget = () => forgetOldOffers(platform, new AbortController().signal);
      const [old] = (await search(live)).offers;
      stage.clock.advance(20 * minuteMs);
      const [young] = (await search(live)).offers;
      stage.clock.advance(hourMs - 1);
      await forget();
      expect(await readOffer(stage.server, live, old.id)).toEqual(old);
      stage.clock.advance(1);
      await forget();
      expect(await readOffer(stage.server, live, old.id)).toEqual(offerNotFound);
      expect(await readOffer(stage.server, live, young.id)).toEqual(young);
    });

    it('are not deleted by a worker whose clock is hours ahead', async () => {
      const { live } = await stage.server.createTeam();
      const { platform } = stage.server.running.gateway;
      const found = await search(live);
      await stage.server.query(`UPDATE flight_searches SET expires_at = now() + interval '10 minutes'`);
      const clock = { ...platform.clock, now: () => new Date(Date.now() + 3 * hourMs) };
      await forgetOldOffers({ ...platform, clock }, new AbortController().signal);
      expect((await list(stage.server, live, found.id)).id).toBe(found.id);
    });
  });

  describe('listed again', () => {
    it('come in pages that make up the search', async () => {
      const { live } = await stage.server.createTeam();
      const { id, offers, passengers } = await search(live);
      const total = offers.length;
      const pages = Math.ceil(total / 20);
      const listed: string[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const found = await list(stage.server, live, id, { page });
        expect(found.pagination).toEqual({ page, limit: 20, total, pages });
        expect(found.passengers.map((passenger: Json) => passenger.id)).toEqual(
          passengers.map((passenger: Json) => passenger.id),
        );
        listed.push(...found.offers.map((offer: Json) => offer.id));
      }
      expect(listed).toEqual(offers.map((offer: Json) => offer.id));
      const beyond = await list(stage.server, live, id, { page: pages + 1 });
      expect(beyond).toMatchObject({ offers: [], pagination: { total, pages } });
    });

    it('can be sorted by duration', async () => {
      const { live } = await stage.server.createTeam();
      const { id, offers } = await search(live, roundTrip('GRU-MIA'));
      const listed = await list(stage.server, live, id, { sort: 'duration', limit: 100 });
      const minutes = listed.offers.map(journeyMinutes);
      expect(minutes).toEqual(
        offers
          .map(journeyMinutes)
          .sort((one: number, other: number) => one - other)
          .slice(0, 100),
      );
      expect(new Set(minutes).size).toBeGreaterThan(1);
    });

    it('can be filtered by stops, carrier and price, and counts what is left', async () => {
      const { live } = await stage.server.createTeam();
      const { id, offers } = await search(live);
      const middle = offers[Math.floor(offers.length / 2)];
      const carrier = middle.owner.iata_code;
      const isDirect = (offer: Json) => offer.slices.every((slice: Json) => slice.segments.length === 1);
      const price = (offer: Json) => centsOf(offer.client_amount);
      const cases: [filter: Json, accepts: (offer: Json) => boolean][] = [
        [{ maxStops: 0 }, isDirect],
        [{ carriers: [carrier] }, (offer) => offer.owner.iata_code === carrier],
        [{ maxPrice: middle.client_amount }, (offer) => price(offer) <= price(middle)],
        [{ minPrice: middle.client_amount }, (offer) => price(offer) >= price(middle)],
        [
          { maxStops: 0, carriers: [carrier], maxPrice: middle.client_amount },
          (offer) => isDirect(offer) && offer.owner.iata_code === carrier && price(offer) <= price(middle),
        ],
        [
          { minPrice: middle.client_amount, maxPrice: middle.client_amount },
          (offer) => price(offer) === price(middle),
        ],
        [{ carriers: [] }, () => false],
        [{}, () => true],
      ];
      for (const [filter, accepts] of cases) {
        const expected = offers.filter(accepts).map((offer: Json) => offer.id);
        const listed = await list(stage.server, live, id, { filter, limit: 100 });
        expect(
          listed.offers.map((offer: Json) => offer.id),
          JSON.stringify(filter),
        ).toEqual(expected.slice(0, 100));
        expect(listed.pagination.total).toBe(expected.length);
      }
    });

    it('refuse filters that make no sense', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = await search(live);
      const refusals: [filter: Json, field: string][] = [
        [{ maxStops: -1 }, 'filter.maxStops'],
        [{ minPrice: '200.00', maxPrice: '100.00' }, 'filter.minPrice'],
        [{ maxPrice: '1,00' }, 'filter.maxPrice'],
        [{ stops: 1 }, 'filter.stops'],
      ];
      for (const [filter, field] of refusals) {
        expect(await list(stage.server, live, id, { filter }), JSON.stringify(filter)).toEqual({
          code: 'VALIDATION_ERROR',
          message: 'Invalid request parameters',
          field,
        });
      }
    });
  });
});
