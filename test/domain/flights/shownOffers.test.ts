import { describe, expect, it } from 'vitest';
import type { OfferPlace } from '../../../src/domain/flights/offer.ts';
import { isoDuration } from '../../../src/domain/flights/offerAssembly.ts';
import { internalsOf } from '../../../src/domain/flights/offerStore.ts';
import type { SearchRequest } from '../../../src/domain/flights/searchRequest.ts';
import {
  passengerTypes,
  type SupplierOffer,
  type SupplierSegmentPassenger,
} from '../../../src/infrastructure/flights/supplier.ts';
import { group } from './badSearches.ts';
import { search } from './quotedSearch.ts';

const placeOf = ({ iataCode, name, cityName, iataCityCode, timeZone }: OfferPlace) => ({
  iataCode,
  name,
  cityName,
  iataCityCode,
  timeZone,
});

/** Slices of an answer, less ids, as they follow from what the supplier offered. */
const slicesOf = ({ slices }: SupplierOffer, passengerIds: readonly string[]) =>
  slices.map((slice) => ({
    origin: placeOf(slice.origin),
    destination: placeOf(slice.destination),
    duration: isoDuration(slice.durationMinutes),
    segments: slice.segments.map(({ flight, passengers }) => ({
      origin: {
        iataCode: flight.origin.iataCode,
        name: flight.origin.name,
        terminal: flight.originTerminal,
      },
      destination: {
        iataCode: flight.destination.iataCode,
        name: flight.destination.name,
        terminal: flight.destinationTerminal,
      },
      departingAt: flight.departingAt,
      arrivingAt: flight.arrivingAt,
      operatingCarrier: {
        ...flight.operatingCarrier,
        logoSymbolUrl: `https://api.example.com/logos/${flight.operatingCarrier.iataCode}.svg`,
      },
      marketingCarrier: flight.marketingCarrier,
      operatingCarrierFlightNumber: flight.operatingFlightNumber,
      marketingCarrierFlightNumber: flight.marketingFlightNumber,
      aircraft: { iataCode: flight.aircraft.iataCode, name: flight.aircraft.name },
      duration: isoDuration(flight.durationMinutes),
      distance: flight.distanceKm.toFixed(1),
      passengers: passengers.map((travel, index) => ({ passengerId: passengerIds[index], ...travel })),
    })),
  }));

const withoutIds = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (name, member) => (name === 'id' ? undefined : member)));

type Found = Awaited<ReturnType<typeof search>>;

function expectSuppliersOffers({ found, quotation, response }: Found) {
  const byReference = new Map(found.map((offer) => [offer.reference, offer]));
  const passengerIds = response.passengers.map(({ id }) => id);
  expect(response.offers).toHaveLength(found.length);
  for (const [index, { supplierReference }] of internalsOf(quotation).entries()) {
    const offer = byReference.get(supplierReference)!;
    expect(withoutIds(response.offers[index]!.slices)).toEqual(withoutIds(slicesOf(offer, passengerIds)));
  }
}

const slices = [
  { origin: 'SAO', destination: 'LON', departureDate: '2026-12-15' },
  { origin: 'LON', destination: 'SAO', departureDate: '2026-12-27' },
];

describe('an offer that is shown', () => {
  it.each<[string, Partial<SearchRequest>]>([
    ['one way', {}],
    ['a return', { type: 'round_trip', slices }],
    ['a family', { passengers: passengerTypes.map((type) => group(type, 1)) }],
  ])('has the flights of its supplier, and all travel as they were offered to: %s', async (_, request) => {
    expectSuppliersOffers(await search(request));
  });

  it('mixes nobody up, in whatever pairs people travel', async () => {
    const ways = 14;
    const travels = Array.from(
      { length: ways },
      (_, way): SupplierSegmentPassenger => ({
        cabinClass: 'economy',
        cabinClassMarketingName: 'Economy',
        fareBasisCode: `WAY${way}`,
        baggages: [],
      }),
    );
    let segments = 0;
    const inPairs = (offer: SupplierOffer): SupplierOffer => ({
      ...offer,
      slices: offer.slices.map((slice) => ({
        ...slice,
        segments: slice.segments.map((segment) => {
          const pair = [travels[segments % ways]!, travels[Math.floor(segments / ways) % ways]!];
          segments += 1;
          return { ...segment, passengers: pair };
        }),
      })),
    });
    const passengers = [group('adult', 2)];
    const answered = await search({ type: 'round_trip', slices, passengers }, { change: inPairs });
    expect(segments).toBeGreaterThanOrEqual(ways * ways);
    expectSuppliersOffers(answered);
  });
});
