import lookUpZone from '@photostructure/tz-lookup';
import { IANAZone } from 'luxon';
import { describe, expect, it } from 'vitest';
import { findAirport, resolvePlace } from '../../../src/infrastructure/flights/airports.ts';
import { cityAirports } from '../../../src/infrastructure/flights/cityCodes.ts';
import { commercialAirports } from '../../../src/infrastructure/flights/commercialAirports.ts';
import { distanceKm } from '../../../src/infrastructure/flights/greatCircle.ts';

const codes = (code: string) => resolvePlace(code)?.map((airport) => airport.iataCode) ?? null;

describe('airports', () => {
  it('knows an airport with its city, zone and place', () => {
    expect(findAirport('GRU')).toEqual({
      iataCode: 'GRU',
      name: 'São Paulo–Guarulhos International Airport',
      cityName: 'São Paulo',
      iataCityCode: 'SAO',
      timeZone: 'America/Sao_Paulo',
      latitude: -23.43057,
      longitude: -46.48101,
      countryCode: 'BR',
    });
  });

  it.each([
    ['GRU', ['GRU']],
    ['SAO', ['GRU', 'CGH', 'VCP']],
    ['RIO', ['GIG', 'SDU']],
    ['BHZ', ['CNF', 'PLU']],
    ['BUE', ['EZE', 'AEP']],
    ['NYC', ['JFK', 'EWR', 'LGA', 'SWF']],
    ['LON', ['LHR', 'LGW', 'STN', 'LTN', 'LCY', 'SEN']],
    ['PAR', ['CDG', 'ORY', 'BVA']],
    // An airport nobody flies to, whose code is better known as the city's.
    ['ORL', ['MCO', 'SFB']],
    // An airport with flights of its own: the code means it.
    ['HOU', ['HOU']],
    ['SHA', ['SHA']],
    ['AAA', ['AAA']],
  ])('resolves %s', (code, airports) => expect(codes(code)).toEqual(airports));

  it.each([
    'XQX',
    'ZZZ',
    'gru',
    'GR',
    'GRUU',
    '',
    'G1U',
    ' GRU',
    'SÃO',
    'toString',
    '__proto__',
    'constructor',
  ])('refuses %j', (code) => expect(resolvePlace(code)).toBeNull());

  it.each([
    ['CGH', 'SAO'],
    ['SDU', 'RIO'],
    ['MCO', 'ORL'],
    ['IAH', 'HOU'],
    ['DAL', 'DFW'],
    ['ISL', 'IST'],
    ['BSB', 'BSB'],
    // Two cities called Portland.
    ['PDX', 'PDX'],
    ['PWM', 'PWM'],
  ])('gives %s the city code %s', (code, city) => expect(findAirport(code)?.iataCityCode).toBe(city));

  it.each(Object.entries(cityAirports))('keeps the airports of %s together', (_city, airports) => {
    const [first, ...others] = airports.map((code) => findAirport(code)!);
    for (const other of others) {
      expect(other.countryCode).toBe(first!.countryCode);
      expect(other.timeZone).toBe(first!.timeZone);
      expect(distanceKm(first!, other)).toBeLessThan(130);
    }
  });

  it('agrees with an independent package on the time zone of every airport with flights', () => {
    const days = ['2026-01-15', '2026-03-20', '2026-07-15', '2026-10-28'].map((day) => Date.parse(day));
    const offsets = (zone: string) => days.map((day) => IANAZone.create(zone).offset(day)).join();
    const disagreeing = [...commercialAirports.keys()].filter((code) => {
      const { latitude, longitude, timeZone } = findAirport(code)!;
      return offsets(lookUpZone(latitude, longitude)) !== offsets(timeZone);
    });
    // The package takes the island of Bahrain for Iranian waters.
    expect(disagreeing).toEqual(['BAH']);
  });

  it('has every airport in a zone that Node 20.19 knows', () => {
    // Made in 2025; Punta Arenas has kept the same time since.
    expect(findAirport('BBA')?.timeZone).toBe('America/Punta_Arenas');
    for (const code of commercialAirports.keys())
      expect(findAirport(code)!.timeZone).not.toBe('America/Coyhaique');
  });

  it.each([
    ['GUA', 'Guatemala City'],
    ['CUR', 'Willemstad'],
    ['RUN', 'Saint-Denis'],
  ])('names the city of %s: %s', (code, city) => expect(findAirport(code)?.cityName).toBe(city));

  it('measures great-circle distances', () => {
    const between = (one: string, other: string) => distanceKm(findAirport(one)!, findAirport(other)!);
    expect(between('GRU', 'GIG')).toBeCloseTo(340, -1);
    expect(between('GRU', 'LIS')).toBeCloseTo(7_935, -2);
    expect(between('AKL', 'SCL')).toBeCloseTo(9_670, -2);
    expect(between('GRU', 'GRU')).toBe(0);
  });
});
