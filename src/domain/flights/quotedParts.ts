import type {
  SupplierFlight,
  SupplierSegmentPassenger,
  SupplierSlice,
} from '../../infrastructure/flights/supplier.ts';
import type { OfferPlace } from './offer.ts';
import { type Index, PartList } from './partList.ts';

/**
 * What the offers of a quotation are made of, each part once and named by its place in its list: so it is found without
 * a look-up, stored as it stands, and shown once however many offers have it.
 */
export interface QuotedParts {
  readonly slices: readonly QuotedSlice[];
  readonly flights: readonly QuotedFlight[];
  readonly travels: readonly SupplierSegmentPassenger[];
}

export interface QuotedSlice {
  readonly origin: OfferPlace;
  readonly destination: OfferPlace;
  readonly durationMinutes: number;
  readonly segments: readonly QuotedSegment[];
}

export interface QuotedSegment {
  readonly flight: Index;
  /** How each passenger travels. */
  readonly travels: readonly Index[];
}

/** A supplier's flight, less what no answer shows. */
export interface QuotedFlight extends Omit<SupplierFlight, 'origin' | 'destination'> {
  readonly origin: OfferPlace;
  readonly destination: OfferPlace;
}

/** Collects parts from suppliers' offers: what is the same object is the same part. */
export class PartsCollector implements QuotedParts {
  readonly #flights = new PartList<SupplierFlight, QuotedFlight>((flight) => flight);
  readonly #travels = new PartList<SupplierSegmentPassenger, SupplierSegmentPassenger>((travel) => travel);
  readonly #slices = new PartList<SupplierSlice, QuotedSlice>((slice) => ({
    origin: slice.origin,
    destination: slice.destination,
    durationMinutes: slice.durationMinutes,
    segments: slice.segments.map(({ flight, passengers }) => ({
      flight: this.#flights.indexOf(flight),
      travels: passengers.map(this.#travels.indexOf),
    })),
  }));
  readonly slices = this.#slices.parts;
  readonly flights = this.#flights.parts;
  readonly travels = this.#travels.parts;
  readonly indexOf = this.#slices.indexOf;
}
