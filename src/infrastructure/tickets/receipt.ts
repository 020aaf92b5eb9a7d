import type { Traveller } from '../flights/order.ts';
import type { Baggage, CabinClass } from '../flights/supplier.ts';

/**
 * What an e-ticket receipt shows. Its parts have the shapes of a booking's slices, conditions, travellers and
 * documents, so that those can be handed over as they are.
 */
export interface TicketReceipt {
  /** Six characters under which the agency finds the booking. */
  readonly locator: string;
  /** Under which the carrier finds it, for check-in; null where it is not known. */
  readonly carrierReference: string | null;
  readonly status: 'pending' | 'confirmed' | 'ticketed' | 'cancelled' | 'expired' | 'failed';
  readonly bookedAt: Date;
  /** Null while no tickets were issued. */
  readonly issuedAt: Date | null;
  readonly agencyName: string;
  readonly testMode: boolean;
  /** What the QR code leads to: this receipt as it stands then; null for no code. */
  readonly link: string | null;
  readonly travellers: readonly ReceiptTraveller[];
  readonly tickets: readonly ReceiptTicket[];
  readonly slices: readonly ReceiptSlice[];
  readonly fareBrandName: string;
  /** Centavos: the price, whether it was paid, and what was given back of it, null for nothing. */
  readonly totalCents: bigint;
  readonly isPaid: boolean;
  readonly refundCents: bigint | null;
  readonly conditions: {
    readonly refundBeforeDeparture: ReceiptCondition;
    readonly changeBeforeDeparture: ReceiptCondition;
  };
}

export type ReceiptTraveller = Pick<
  Traveller,
  'id' | 'type' | 'givenName' | 'familyName' | 'identityDocument' | 'infantPassengerId'
>;

export interface ReceiptTicket {
  readonly passengerId: string;
  readonly uniqueIdentifier: string;
}

export interface ReceiptCondition {
  readonly allowed: boolean;
  /** Decimal with two digits; null when it is not known beforehand. */
  readonly penaltyAmount: string | null;
  readonly penaltyCurrency: string | null;
}

export interface ReceiptSlice {
  readonly origin: { readonly iataCode: string };
  readonly destination: { readonly iataCode: string };
  /** ISO 8601: PT9H30M. */
  readonly duration: string;
  readonly segments: readonly ReceiptSegment[];
}

export interface ReceiptSegment {
  readonly origin: ReceiptAirport;
  readonly destination: ReceiptAirport;
  /** Local time at the airport, YYYY-MM-DDTHH:mm:ss without zone. */
  readonly departingAt: string;
  readonly arrivingAt: string;
  readonly duration: string;
  readonly marketingCarrier: ReceiptCarrier;
  readonly marketingCarrierFlightNumber: string;
  readonly operatingCarrier: ReceiptCarrier;
  readonly aircraft: { readonly name: string };
  readonly passengers: readonly {
    readonly passengerId: string;
    readonly cabinClass: CabinClass;
    readonly baggages: readonly Baggage[];
  }[];
}

export interface ReceiptAirport {
  readonly iataCode: string;
  readonly name: string;
  readonly terminal: string | null;
}

export interface ReceiptCarrier {
  readonly iataCode: string;
  readonly name: string;
}
