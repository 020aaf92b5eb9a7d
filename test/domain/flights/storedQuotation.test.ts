import { describe, expect, it } from 'vitest';
import { assembleOffers } from '../../../src/domain/flights/offerAssembly.ts';
import { internalsOf } from '../../../src/domain/flights/offerStore.ts';
import { documentOf } from '../../../src/domain/flights/quotationDocument.ts';
import { quotationOf } from '../../../src/domain/flights/quotationReading.ts';
import type { SupplierOffer } from '../../../src/infrastructure/flights/supplier.ts';
import { group } from './badSearches.ts';
import { search } from './quotedSearch.ts';

const saoPauloToMadrid = { origin: 'SAO', destination: 'MAD', departureDate: '2026-12-15' };

describe('an assembled search', () => {
  it('is made again from what is stored of it', async () => {
    const withdrawn = new Date('2026-11-20T12:07:00.000Z');
    const slices = [
      { origin: 'SAO', destination: 'JFK', departureDate: '2026-12-15' },
      { origin: 'JFK', destination: 'GRU', departureDate: '2026-12-20' },
    ];
    const passengers = [group('adult', 2), group('child', 1), group('infant_without_seat', 1)];
    const before = new Date('1969-07-20T20:17:40.000Z');
    const heldInThePast = (offer: SupplierOffer): SupplierOffer => ({
      ...offer,
      payment: {
        requiresInstantPayment: false,
        priceGuaranteeExpiresAt: before,
        paymentRequiredBy: before,
      },
    });
    const soldUnderAnotherNumber = (offer: SupplierOffer): SupplierOffer => ({
      ...offer,
      slices: offer.slices.map((slice) => ({
        ...slice,
        segments: slice.segments.map((segment) => ({
          ...segment,
          flight: { ...segment.flight, operatingFlightNumber: '7' },
        })),
      })),
    });
    const searches = await Promise.all([
      search({}),
      search({ type: 'round_trip', slices, passengers, cabinClass: 'business' }),
      search({}, { change: (offer) => ({ ...offer, expiresAt: withdrawn, fareBrandName: 'Lite “–” €' }) }),
      search({ slices: [{ origin: 'JFK', destination: 'EWR', departureDate: '2026-12-15' }] }),
      search({}, { change: soldUnderAnotherNumber }),
      search({}, { change: (offer) => ({ ...offer, totalAmount: '9999999999.99' }), rate: '99999' }),
      search({}, { change: heldInThePast }),
    ]);
    for (const { quotation, response } of searches) {
      const text = documentOf(quotation).toString();
      const again = quotationOf(text)!;
      expect(assembleOffers(again)).toEqual(response);
      expect(internalsOf(again)).toEqual(internalsOf(quotation));
      expect(documentOf(again).toString()).toBe(text);
    }
    const answer = JSON.stringify(searches[1]!.response);
    expect(documentOf(searches[1]!.quotation).length).toBeLessThan(answer.length / 5);
    expect(searches[3]!.response.offers).toEqual([]);
    expect(searches[5]!.quotation.offers[0]!.price.baseCents).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
    const holds = searches[0]!.response.offers.map(
      (offer) => offer.paymentRequirements.requiresInstantPayment,
    );
    expect(new Set(holds).size).toBe(2);
  });

  it('is stored in ASCII, whatever airports, carriers and brands are called', async () => {
    const { quotation, response } = await search({ slices: [saoPauloToMadrid] });
    expect(JSON.stringify(response.slices)).toContain('São Paulo');
    const brands = response.offers.flatMap(({ passengers }) => passengers.map((one) => one.fareBrandName));
    expect(brands.join()).toMatch(/[^\0-\x7f]/);
    expect(documentOf(quotation).toString()).toMatch(/^[\0-\x7f]+$/);
  });

  it('is not made from what another version stored', async () => {
    const { quotation } = await search({});
    const text = documentOf(quotation).toString();
    expect(quotationOf(text)).not.toBeNull();
    expect(quotationOf(text.replace('[3,', '[4,'))).toBeNull();
    expect(quotationOf('{"version":1,"offers":[]}')).toBeNull();
    expect(quotationOf('[{"requested":[],"names":[],"places":[]},{"version":2,"offers":{}}]')).toBeNull();
  });
});
