import type { TravelDocument } from '../../infrastructure/flights/order.ts';
import type { PassengerType } from '../../infrastructure/flights/supplier.ts';
import type { OfferConditions } from '../flights/offer.ts';
import type { Mode } from '../tenant.ts';

/**
 * A booking: an offer bought with the wallet's money for named travellers. Cast: its state changes by transitions (a
 * table, `transitions.ts`), each one statement that moves the money and tells the events as well; what the supplier is
 * to be asked because of it is its order task (`orderTask.ts`).
 */
export type BookingType = 'instant' | 'hold';

/** The states that a booking ends in: no change leads out of them. */
export const endedStatuses = ['cancelled', 'expired', 'failed'] as const;
export const bookingStatuses = ['pending', 'confirmed', 'ticketed', ...endedStatuses] as const;
export type BookingStatus = (typeof bookingStatuses)[number];

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

/** The type that a parameter of such values has in SQL. */
type ParameterType<Value> =
  NonNullable<Value> extends string
    ? 'text' | 'bigint'
    : NonNullable<Value> extends number
      ? 'integer'
      : NonNullable<Value> extends Date
        ? 'timestamptz'
        : 'json';

/** A column of `bookings`, and where its value comes from when a booking is created. */
interface Column<Value> {
  /** What the compiler knows of it; there is no such member. */
  readonly value?: Value;
}

/** The creation is given it as a parameter. */
interface GivenColumn<Value> extends Column<Value> {
  readonly source: 'given';
  readonly parameter: ParameterType<Value>;
  /** The only type of bookings that have one at their creation. */
  readonly only?: BookingType;
}

/** The creation says it itself. */
interface StatedColumn<Value> extends Column<Value> {
  readonly source: 'stated';
}

/** It has its default until it is known. */
interface LaterColumn<Value> extends Column<Value> {
  readonly source: 'later';
}

const given = <Value>(parameter: ParameterType<Value>, only?: BookingType): GivenColumn<Value> => ({
  source: 'given',
  parameter,
  ...(only && { only }),
});
const stated = <Value>(): StatedColumn<Value> => ({ source: 'stated' });
const later = <Value>(): LaterColumn<Value> => ({ source: 'later' });

/** Every member of a BookingRow: what reads bookings and what creates them is made from these. */
export const columns = {
  id: given<string>('text'),
  wallet_id: given<number>('integer'),
  team_id: stated<string>(),
  mode: stated<Mode>(),
  booking_reference: given<string>('text'),
  /** The carrier's own record locator; null while the supplier has told none. */
  carrier_reference: later<string | null>(),
  type: stated<BookingType>(),
  status: stated<BookingStatus>(),
  amount_cents: given<string>('bigint'),
  offer_id: given<string>('text'),
  supplier: given<string>('text'),
  supplier_reference: given<string>('text'),
  passengers: given<BookedPassenger[]>('json'),
  sealed_travellers: given<string>('text'),
  /** SPEC's Slices, in the names of the REST resource. */
  slices: given<Record<string, unknown>[]>('json'),
  documents: later<{ type: TravelDocument['type']; unique_identifier: string; passenger_id: string }[]>(),
  terms: given<BookingTerms>('json'),
  departs_at: given<Date>('timestamptz'),
  payment_required_by: given<Date | null>('timestamptz', 'hold'),
  debit_id: given<string | null>('text', 'instant'),
  refund_id: later<string | null>(),
  refund_cents: later<string | null>(),
  created_at: given<Date>('timestamptz'),
  updated_at: stated<Date>(),
  confirmed_at: stated<Date | null>(),
  ticketed_at: later<Date | null>(),
  ended_at: later<Date | null>(),
};

type Columns = typeof columns;

/** A row of `bookings`; BIGINTs as digits. */
export type BookingRow = {
  [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never;
};

type NamesFrom<Source> = {
  [Name in keyof Columns]: Columns[Name] extends { source: Source } ? Name : never;
}[keyof Columns];

export type GivenName = NamesFrom<'given'>;
export type StatedName = NamesFrom<'stated'>;

/** SQL: the columns of a BookingRow; `row` names its table or CTE. */
export const bookingColumns = (row: string) =>
  Object.keys(columns)
    .map((column) => `${row}.${column}`)
    .join(', ');
