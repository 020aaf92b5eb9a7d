import type { AirportTier } from '../commercialAirports.ts';
import type { CarrierCurrency } from '../supplier.ts';

export type Alliance = 'star' | 'oneworld' | 'skyteam';

/**
 * How an airline flies in the simulated world. Its network is written as the airline would: hubs, from which it serves
 * its own country by rule, and the other routes of each: those abroad, and some at home that no rule finds.
 */
export interface Airline {
  readonly code: string;
  readonly currency: CarrierCurrency;
  /** Airports where its passengers connect, the largest first. */
  readonly hubs: string;
  /** Smallest tier of airport it serves within the countries of its hubs; without it, it flies abroad only. */
  readonly reach?: AirportTier;
  /** How far the other hubs of a country serve it, after the first; without it, as far as that one. */
  readonly spokesKm?: number;
  /**
   * Non-stop destinations of each airport it flies from. `@XX2` stands for the airports of tier 1 and 2 in a
   * country (ISO code) or in Europe (`@EUR`).
   */
  readonly routes: Readonly<Record<string, string>>;
  /** IATA aircraft codes. */
  readonly fleet: string;
  /** For airports with runways of their own: the only types that fly there, and nowhere else. */
  readonly fleetAt?: Readonly<Record<string, string>>;
  readonly alliance?: Alliance;
  /** Others with which it sells connections, besides its alliance. */
  readonly partners?: string;
  /** Its flights to and from the hub leave and land in the middle of the night where others wait for the day. */
  readonly fliesAtNight?: true;
  /** Sells point to point only. */
  readonly noConnections?: true;
  /** Designator of the subsidiary that operates flights touching a country. */
  readonly operators?: Readonly<Record<string, string>>;
  /** Fares of its dearer brands may be held before they are paid. */
  readonly holds?: true;
  readonly product: CabinProduct;
}

/** What its cabins are called; a cabin without a name is not sold. */
export interface CabinProduct {
  /** Three fare brands, from the barest to the most flexible. */
  readonly economy: readonly [string, string, string];
  readonly premium_economy?: string;
  /** On wide bodies only, unless `businessEverywhere`. */
  readonly business?: string;
  readonly businessEverywhere?: true;
  /** On wide bodies only. */
  readonly first?: string;
}
