import type {
  SupplierFlight,
  SupplierSegmentPassenger,
  SupplierSlice,
} from '../../infrastructure/flights/supplier.ts';
import type { OfferSlice } from './offer.ts';
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

/** Between which airports, of which no more is kept than answers show. */
type Ends = Pick<OfferSlice, 'origin' | 'destination'>;

export interface QuotedSlice extends Ends {
  readonly durationMinutes: number;
  readonly segments: readonly QuotedSegment[];
}

export interface QuotedSegment {
  readonly flight: Index;
  /** How each passenger travels. */
  readonly travels: readonly Index[];
}

export interface QuotedFlight extends Omit<SupplierFlight, keyof Ends | 'distanceKm'>, Ends {
  /** Kilometres with one decimal, as answers show them. */
  readonly distance: string;
}

/** Member by member, since spreading takes ten times as long. */
const quotedFlight = (flight: SupplierFlight): QuotedFlight => ({
  origin: flight.origin,
  destination: flight.destination,
  originTerminal: flight.originTerminal,
  destinationTerminal: flight.destinationTerminal,
  departingAt: flight.departingAt,
  arrivingAt: flight.arrivingAt,
  durationMinutes: flight.durationMinutes,
  distance: flight.distanceKm.toFixed(1),
  marketingCarrier: flight.marketingCarrier,
  marketingFlightNumber: flight.marketingFlightNumber,
  operatingCarrier: flight.operatingCarrier,
  operatingFlightNumber: flight.operatingFlightNumber,
  aircraft: flight.aircraft,
});

/** Collects parts from suppliers' offers: what is the same object is the same part. */
export class PartsCollector implements QuotedParts {
  readonly #flights = new PartList<SupplierFlight, QuotedFlight>(quotedFlight);
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
