import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlightOffer } from '../../../src/domain/flights/offer.ts';
import { isoDuration } from '../../../src/domain/flights/offerAssembly.ts';
import { internalsOf } from '../../../src/domain/flights/offerStore.ts';
import { isIdentifier } from '../../../src/infrastructure/identifiers/identifier.ts';
import { group } from './badSearches.ts';
import { search } from './quotedSearch.ts';

/** Name and JSON type of every field, lists by their first element; what may be null is not looked into. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

const place = {
  iataCode: 'string',
  name: 'string',
  cityName: 'string',
  iataCityCode: 'string',
  timeZone: 'string',
};
const carrier = { iataCode: 'string', name: 'string' };

/** SPEC.md, Flight offers response, in camelCase. */
const specifiedOffer = {
  id: 'string',
  totalAmount: 'string',
  totalCurrency: 'string',
  clientAmount: 'string',
  clientCurrency: 'string',
  originalAmount: 'number',
  originalCurrency: 'string',
  exchangeRateUsed: 'number',
  baseCostBrl: 'string',
  agencyMarkupPercent: 'number',
  agencyMarkupAmount: 'string',
  agencyFeeAmount: 'string',
  totalAgencyCommission: 'string',
  markupApplied: 'string',
  feeApplied: 'string',
  expiresAt: 'string',
  owner: carrier,
  slices: [
    {
      id: 'string',
      origin: place,
      destination: place,
      duration: 'string',
      segments: [
        {
          id: 'string',
          origin: { iataCode: 'string', name: 'string', terminal: 'string' },
          destination: { iataCode: 'string', name: 'string', terminal: 'string' },
          departingAt: 'string',
          arrivingAt: 'string',
          operatingCarrier: { ...carrier, logoSymbolUrl: 'string' },
          marketingCarrier: carrier,
          operatingCarrierFlightNumber: 'string',
          marketingCarrierFlightNumber: 'string',
          aircraft: carrier,
          duration: 'string',
          distance: 'string',
          passengers: [
            {
              passengerId: 'string',
              cabinClass: 'string',
              cabinClassMarketingName: 'string',
              fareBasisCode: 'string',
              baggages: [{ type: 'string', quantity: 'number' }],
            },
          ],
        },
      ],
    },
  ],
  passengers: [{ id: 'string', type: 'string', fareBrandName: 'string', loyaltyProgrammeAccounts: [] }],
  conditions: {
    refundBeforeDeparture: { allowed: 'boolean', penaltyAmount: 'string', penaltyCurrency: 'string' },
    changeBeforeDeparture: { allowed: 'boolean', penaltyAmount: 'string', penaltyCurrency: 'string' },
  },
  paymentRequirements: {
    requiresInstantPayment: 'boolean',
    priceGuaranteeExpiresAt: 'string',
    paymentRequiredBy: 'string',
  },
};

const cents = (amount: string) => BigInt(amount.replace('.', ''));
const allSegments = (offer: FlightOffer) => offer.slices.flatMap((slice) => slice.segments);

describe('an assembled search', () => {
  it('has every field of SPEC in its type, and no other', async () => {
    const { response } = await search({});
    // The most flexible fare that may be held, between airports of many terminals, leaves nothing null.
    const full = response.offers.find(
      (offer) =>
        !offer.paymentRequirements.requiresInstantPayment &&
        offer.conditions.refundBeforeDeparture.allowed &&
        allSegments(offer).every(({ origin, destination }) => origin.terminal && destination.terminal),
    );
    expect(shapeOf(full)).toEqual(specifiedOffer);
    expect(shapeOf({ ...response, offers: [] })).toEqual({
      id: 'string',
      offers: [],
      slices: [{ origin: place, destination: place, departureDate: 'string' }],
      passengers: [{ id: 'string', type: 'string' }],
    });
  });

  it('writes values in the documented formats', async () => {
    const { response } = await search({ passengers: [{ type: 'adult', count: 2 }] });
    expect(response.offers.length).toBeGreaterThan(20);
    for (const offer of response.offers) {
      expect(offer.expiresAt).toBe('2026-11-20T12:20:00.000Z');
      expect(offer.clientAmount).toMatch(/^\d+\.\d\d$/);
      for (const slice of offer.slices) {
        expect(slice.duration).toMatch(/^PT([1-9]\d*H)?([1-9]|[1-5]\d)?(?<!T)M?$/);
        for (const segment of slice.segments) {
          expect(segment.departingAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00$/);
          expect(segment.distance).toMatch(/^\d+\.\d$/);
          expect(segment.marketingCarrierFlightNumber).toMatch(/^[1-9]\d{0,3}$/);
          expect(segment.operatingCarrier.logoSymbolUrl).toBe(
            `https://api.example.com/logos/${segment.operatingCarrier.iataCode}.svg`,
          );
        }
      }
    }
    expect(allSegments(response.offers[0]!)[0]!.origin.terminal).not.toBe('');
  });

  it('keeps conditions as objects, and dates of instant payment and unknown penalties as null', async () => {
    const { response } = await search({});
    const bare = response.offers.find((offer) => !offer.conditions.refundBeforeDeparture.allowed)!;
    expect(bare.conditions.refundBeforeDeparture).toEqual({
      allowed: false,
      penaltyAmount: null,
      penaltyCurrency: null,
    });
    expect(bare.paymentRequirements).toEqual({
      requiresInstantPayment: true,
      priceGuaranteeExpiresAt: null,
      paymentRequiredBy: null,
    });
    const free = response.offers.find(
      (offer) => offer.conditions.refundBeforeDeparture.penaltyAmount === '0.00',
    )!;
    expect(free.conditions.refundBeforeDeparture.penaltyCurrency).toBe(free.totalCurrency);
  });

  it('answers with the places as they were asked for', async () => {
    const { response } = await search({
      slices: [{ origin: 'SAO', destination: 'CNF', departureDate: '2026-12-15' }],
    });
    expect(response.slices).toEqual([
      {
        origin: {
          iataCode: 'SAO',
          name: 'São Paulo',
          cityName: 'São Paulo',
          iataCityCode: 'SAO',
          timeZone: 'America/Sao_Paulo',
        },
        destination: {
          iataCode: 'CNF',
          name: 'Belo Horizonte–Confins International Airport',
          cityName: 'Belo Horizonte',
          iataCityCode: 'BHZ',
          timeZone: 'America/Sao_Paulo',
        },
        departureDate: '2026-12-15',
      },
    ]);
  });

  it('sorts by what the client pays, then by duration, and keeps what booking needs', async () => {
    const { quotation, response } = await search({});
    const internals = internalsOf(quotation);
    expect(internals).toHaveLength(response.offers.length);
    for (const [index, one] of internals.entries()) {
      const offer = response.offers[index]!;
      expect(one.clientAmountCents).toBe(cents(offer.clientAmount));
      expect(one.supplier).toBe('simulated');
      expect(one.stops).toBe(offer.slices[0]!.segments.length - 1);
      expect(isoDuration(one.durationMinutes)).toBe(offer.slices[0]!.duration);
      const next = internals[index + 1];
      if (next) expect(next.clientAmountCents >= one.clientAmountCents).toBe(true);
    }
    expect(new Set(internals.map((one) => one.supplierReference)).size).toBe(internals.length);
    const level = await search(
      {},
      { change: (offer) => ({ ...offer, totalAmount: '100.00', currency: 'BRL' }) },
    );
    const durations = internalsOf(level.quotation).map((one) => one.durationMinutes);
    expect(durations).toEqual([...durations].sort((one, other) => one - other));
    expect(new Set(durations).size).toBeGreaterThan(1);
  });

  it('expires when the supplier withdraws, if that is sooner', async () => {
    const sooner = new Date('2026-11-20T12:05:00.000Z');
    const { response } = await search({}, { change: (offer) => ({ ...offer, expiresAt: sooner }) });
    expect(response.offers[0]!.expiresAt).toBe('2026-11-20T12:05:00.000Z');
    const later = await search(
      {},
      { change: (offer) => ({ ...offer, expiresAt: new Date('2026-11-21T12:00:00Z') }) },
    );
    expect(later.response.offers[0]!.expiresAt).toBe('2026-11-20T12:20:00.000Z');
  });

  it('has ids of the right kind, none twice, and refers to its own passengers; prices add up', async () => {
    const codes = ['GRU', 'SAO', 'GIG', 'LIS', 'MIA', 'EZE', 'SSA', 'JFK', 'CWB', 'MAD'];
    const request = fc.record({
      places: fc.uniqueArray(fc.constantFrom(...codes.filter((code) => code !== 'GRU')), {
        minLength: 2,
        maxLength: 2,
      }),
      isReturn: fc.boolean(),
      adults: fc.integer({ min: 1, max: 3 }),
      infants: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(
        request,
        async ({ places: [origin = '', destination = ''], isReturn, adults, infants }) => {
          const out = { origin, destination, departureDate: '2027-02-10' };
          const back = { origin: destination, destination: origin, departureDate: '2027-02-20' };
          const { response } = await search({
            type: isReturn ? 'round_trip' : 'one_way',
            slices: isReturn ? [out, back] : [out],
            passengers: [
              group('adult', adults),
              ...(infants ? [group('infant_without_seat', Math.min(infants, adults))] : []),
            ],
          });
          const passengerIds = response.passengers.map(({ id }) => id);
          const ids = [response.id, ...passengerIds];
          expect(isIdentifier('orq', response.id)).toBe(true);
          expect(passengerIds.every((id) => isIdentifier('pas', id))).toBe(true);
          expect(response.offers.length).toBeGreaterThan(0);
          for (const offer of response.offers) {
            const sliceIds = offer.slices.map(({ id }) => id);
            const segmentIds = allSegments(offer).map(({ id }) => id);
            ids.push(offer.id, ...sliceIds, ...segmentIds);
            expect(isIdentifier('off', offer.id)).toBe(true);
            expect(sliceIds.every((id) => isIdentifier('sli', id))).toBe(true);
            expect(segmentIds.every((id) => isIdentifier('seg', id))).toBe(true);
            expect(offer.passengers.map(({ id }) => id)).toEqual(passengerIds);
            for (const segment of allSegments(offer)) {
              expect(segment.passengers.map(({ passengerId }) => passengerId)).toEqual(passengerIds);
            }
            expect(cents(offer.clientAmount)).toBe(
              cents(offer.baseCostBrl) + cents(offer.agencyMarkupAmount) + cents(offer.agencyFeeAmount),
            );
            expect(offer.originalAmount.toFixed(2)).toBe(offer.totalAmount);
          }
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('makes new ids for the same search', async () => {
    const [one, other] = [await search({}), await search({})];
    expect(one.response.id).not.toBe(other.response.id);
    expect(one.response.offers.map(({ id }) => id)).not.toContain(other.response.offers[0]!.id);
    expect(one.response.offers.map((offer) => offer.clientAmount)).toEqual(
      other.response.offers.map((offer) => offer.clientAmount),
    );
  });
});

describe('a duration', () => {
  it.each([
    [570, 'PT9H30M'],
    [60, 'PT1H'],
    [55, 'PT55M'],
    [65, 'PT1H5M'],
    [1565, 'PT26H5M'],
  ])('of %i minutes is %s', (minutes, text) => expect(isoDuration(minutes)).toBe(text));
});
