import { describe, expect, it } from 'vitest';
import { aircraftOf } from '../../../../src/infrastructure/flights/aircraft.ts';
import { findAirport } from '../../../../src/infrastructure/flights/airports.ts';
import { carrierOf } from '../../../../src/infrastructure/flights/carriers.ts';
import { commercialAirports } from '../../../../src/infrastructure/flights/commercialAirports.ts';
import { distanceKm } from '../../../../src/infrastructure/flights/greatCircle.ts';
import {
  airlines,
  routesBetween,
  routesFrom,
} from '../../../../src/infrastructure/flights/simulated/routes.ts';
import { flightsOf } from '../../../../src/infrastructure/flights/simulated/timetable.ts';

const words = (text: string) => text.trim().split(/\s+/);
const codes = new Set(airlines.map((airline) => airline.code));

describe('the networks of the simulated world', () => {
  it.each(airlines.map((airline) => [airline.code, airline] as const))(
    '%s names what exists',
    (code, airline) => {
      expect(carrierOf(code).name).not.toBe('');
      for (const operator of Object.values(airline.operators ?? {})) carrierOf(operator);
      for (const partner of words(airline.partners ?? code)) expect(codes).toContain(partner);
      const fleet = words(airline.fleet).map(aircraftOf);
      for (const hub of words(airline.hubs)) expect(commercialAirports.has(hub)).toBe(true);
      for (const [hub, destinations] of Object.entries(airline.routes)) {
        expect(commercialAirports.has(hub)).toBe(true);
        for (const destination of words(destinations).filter((word) => !word.startsWith('@'))) {
          expect(commercialAirports.has(destination), destination).toBe(true);
          expect(destination).not.toBe(hub);
          // A route beyond the range of the whole fleet is a slip of the table.
          const distance = distanceKm(findAirport(hub)!, findAirport(destination)!);
          expect(Math.max(...fleet.map((type) => type.rangeKm)), `${hub}-${destination}`).toBeGreaterThan(
            distance,
          );
        }
      }
    },
  );

  it('names no airline twice', () => expect(codes.size).toBe(airlines.length));

  it('gives no two flights of a day the same airline and number, and none five digits', () => {
    const seen = new Map<string, string>();
    for (const origin of commercialAirports.keys()) {
      for (const route of [...routesFrom(origin).values()].flat()) {
        for (const { number } of flightsOf(route, '2026-12-15')) {
          const name = route.airline.code + number;
          expect(number).toMatch(/^[1-9]\d{0,3}$/);
          expect(seen.get(name), `${name} ${origin}-${route.destination.iataCode}`).toBeUndefined();
          seen.set(name, origin);
        }
      }
    }
  });

  it.each([
    ['B6', 'JFK', 'LHR', ['32Q']],
    ['EK', 'DXB', 'MCT', ['359', '388', '77W']],
    ['UA', 'SFO', 'KOA', ['319', '320', '738', '7M8', '7M9', '32Q']],
    ['AF', 'CDG', 'ABJ', ['332', '359', '772', '77W', '789']],
    ['BA', 'LCY', 'EDI', ['E90']],
    ['BA', 'LHR', 'EDI', ['319', '320', '32N', '321', '32Q']],
  ])('%s flies %s-%s with aircraft that can and do', (airline, origin, destination, types) => {
    const route = routesBetween(origin, destination).find((one) => one.airline.code === airline);
    expect(route?.aircraft.map(({ iataCode }) => iataCode).sort()).toEqual([...types].sort());
  });

  it('has no non-stop flight where the airline stops on its way', () => {
    const airlinesBetween = (one: string, other: string) =>
      routesBetween(one, other).map(({ airline }) => airline.code);
    expect(airlinesBetween('DOH', 'EZE')).not.toContain('QR');
    expect(airlinesBetween('IST', 'SCL')).not.toContain('TK');
    expect(airlinesBetween('ZRH', 'EZE')).not.toContain('LX');
  });

  it('flies every route both ways, within range', () => {
    for (const code of commercialAirports.keys()) {
      for (const [destination, routes] of routesFrom(code)) {
        for (const route of routes) {
          for (const type of route.aircraft) expect(type.rangeKm).toBeGreaterThanOrEqual(route.distanceKm);
          expect(routesBetween(destination, code).map((back) => back.airline)).toContain(route.airline);
        }
      }
    }
  });

  it('reaches every airport that has flights', () => {
    const unreached = [...commercialAirports.keys()].filter((code) => routesFrom(code).size === 0);
    expect(unreached).toEqual([]);
  });
});
