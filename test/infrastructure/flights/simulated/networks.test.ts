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
