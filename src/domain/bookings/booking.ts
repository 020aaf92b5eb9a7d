import type { TravelDocument } from '../../infrastructure/flights/order.ts';
import type { PassengerType } from '../../infrastructure/flights/supplier.ts';
import type { OfferConditions } from '../flights/offer.ts';
import type { Mode } from '../tenant.ts';

/**
 * A booking: an offer bought with the wallet's money for named travellers. Cast: its state changes by transitions (a
 * table, `transitions.ts`), each one statement that moves the money and tells the events as well; what the supplier is
 * to be asked because of it is its order task (`orders.ts`).
 */
export type BookingType = 'instant' | 'hold';

export type BookingStatus = 'pending' | 'confirmed' | 'ticketed' | 'cancelled' | 'expired' | 'failed';

/** A passenger as events tell of one: a name and no more, because they go to other systems. */
export interface BookedPassenger {
  readonly id: string;
  readonly type: PassengerType;
  readonly given_name: string;
  readonly family_name: string;
}

/** What was agreed at the booking beyond its price. */
export interface BookingTerms {
  readonly conditions: OfferConditions;
  /** Decimal as text: reais for one unit of the penalties' currency. */
  readonly exchangeRate: string;
  readonly fareBrandName: string;
}

/** A row of `bookings`; BIGINTs as digits. */
export interface BookingRow {
  id: string;
  wallet_id: number;
  team_id: string;
  mode: Mode;
  booking_reference: string;
  /** The carrier's own record locator; null while the supplier has told none. */
  carrier_reference: string | null;
  type: BookingType;
  status: BookingStatus;
  amount_cents: string;
  offer_id: string;
  supplier: string;
  supplier_reference: string;
  passengers: BookedPassenger[];
  sealed_travellers: string;
  /** SPEC's Slices, in the names of the REST resource. */
  slices: Record<string, unknown>[];
  documents: { type: TravelDocument['type']; unique_identifier: string; passenger_id: string }[];
  terms: BookingTerms;
  departs_at: Date;
  payment_required_by: Date | null;
  debit_id: string | null;
  refund_id: string | null;
  refund_cents: string | null;
  created_at: Date;
  updated_at: Date;
  confirmed_at: Date | null;
  ticketed_at: Date | null;
  ended_at: Date | null;
}

/** A member of BookingRow that is missing here would not be read. */
const columns: Readonly<Record<keyof BookingRow, true>> = {
  id: true,
  wallet_id: true,
  team_id: true,
  mode: true,
  booking_reference: true,
  carrier_reference: true,
  type: true,
  status: true,
  amount_cents: true,
  offer_id: true,
  supplier: true,
  supplier_reference: true,
  passengers: true,
  sealed_travellers: true,
  slices: true,
  documents: true,
  terms: true,
  departs_at: true,
  payment_required_by: true,
  debit_id: true,
  refund_id: true,
  refund_cents: true,
  created_at: true,
  updated_at: true,
  confirmed_at: true,
  ticketed_at: true,
  ended_at: true,
};

/** SQL: the columns of a BookingRow; `row` names its table or CTE. */
export const bookingColumns = (row: string) =>
  Object.keys(columns)
    .map((column) => `${row}.${column}`)
    .join(', ');
