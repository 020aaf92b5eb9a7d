import { findAirport } from '../../infrastructure/flights/airports.ts';
import type { IdentityDocumentType } from '../../infrastructure/flights/order.ts';
import type { FlightOffer } from '../flights/offer.ts';

/** What the flights of an offer ask of those who travel on them. */
export interface Journey {
  /** Local days on which its flights leave, YYYY-MM-DD, the earliest first. */
  readonly flightDays: readonly string[];
  /** The latest local day on which a flight leaves or arrives, YYYY-MM-DD: over the date line it may arrive the day before. */
  readonly lastDay: string;
  /** Documents that will do on all of its flights. */
  readonly documents: readonly IdentityDocumentType[];
}

/**
 * States that let each other's citizens in with an identity card: Mercosur and its associates (CMC Decision 18/08 and
 * those that amend it). Guyana, Suriname and French Guiana take no part.
 */
export const identityCardCountries: ReadonlySet<string | undefined> = new Set(
  'AR BO BR CL CO EC PE PY UY VE'.split(' '),
);

/**
 * The rules for one offer. Flights within Brazil take any document; flights between the states above an identity card
 * (rg) or a passport; all others, those that only change planes abroad included, a passport.
 */
export function journeyOf({ slices }: Pick<FlightOffer, 'slices'>): Journey {
  const segments = slices.flatMap((slice) => slice.segments);
  const countries = segments
    .flatMap(({ origin, destination }) => [origin, destination])
    .map(({ iataCode }) => findAirport(iataCode)?.countryCode);
  const days = (times: readonly string[]) => [...new Set(times.map((time) => time.slice(0, 10)))].sort();
  return {
    flightDays: days(segments.map(({ departingAt }) => departingAt)),
    lastDay: days(segments.flatMap(({ departingAt, arrivingAt }) => [departingAt, arrivingAt])).at(-1)!,
    documents: documentsFor(countries),
  };
}

function documentsFor(countries: readonly (string | undefined)[]): readonly IdentityDocumentType[] {
  if (countries.every((country) => country === 'BR')) return ['cpf', 'rg', 'passport'];
  if (countries.every((country) => identityCardCountries.has(country))) return ['rg', 'passport'];
  return ['passport'];
}
