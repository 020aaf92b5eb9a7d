import { describe, expect, it } from 'vitest';
import { routesBetween } from '../../../../src/infrastructure/flights/simulated/routes.ts';
import type { SupplierFlight } from '../../../../src/infrastructure/flights/supplier.ts';
import { offers } from './searches.ts';

/** The first flight of an airline that needs no connection. */
async function nonStop(pair: string, airline: string): Promise<SupplierFlight> {
  const found = (await offers({ slices: [pair] })).find(
    ({ owner, slices }) => owner.iataCode === airline && slices[0]!.segments.length === 1,
  );
  return found!.slices[0]!.segments[0]!.flight;
}

describe('airports of the simulated world', () => {
  it.each([
    ['GRU-POA', 'LA', '2', null],
    ['GRU-LIS', 'LA', '3', '1'],
    ['LIS-GRU', 'TP', '1', '3'],
    ['GRU-REC', 'AD', '1', '1'],
    ['EZE-GRU', 'AR', 'C', '3'],
    ['LHR-GRU', 'BA', '5', '3'],
  ])('have the terminals of airline and flight: %s with %s', async (pair, airline, from, to) => {
    const { originTerminal, destinationTerminal } = await nonStop(pair, airline);
    expect([originTerminal, destinationTerminal]).toEqual([from, to]);
  });

  it.each([
    ['GRU-LIS', 'LA', 'JJ'],
    ['LIS-GRU', 'LA', 'JJ'],
    ['SCL-LIM', 'LA', 'LA'],
    ['LIS-GRU', 'TP', 'TP'],
  ])('are flown to by the airline of the country: %s with %s by %s', async (pair, airline, operator) => {
    expect((await nonStop(pair, airline)).operatingCarrier.iataCode).toBe(operator);
  });

  it.each(['SDU-REC', 'DCA-LAX', 'LGA-LAX', 'LGA-SEA'])(
    'have no flights longer than their authorities allow: %s',
    (pair) => {
      const [origin = '', destination = ''] = pair.split('-');
      expect(routesBetween(origin, destination)).toEqual([]);
      expect(routesBetween(destination, origin)).toEqual([]);
    },
  );
});
