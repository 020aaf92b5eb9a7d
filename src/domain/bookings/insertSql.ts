import type { BookingRow, BookingType, GivenName, StatedName } from './booking.ts';
import { columns } from './booking.ts';

/** What the creation of a booking is given as a parameter. */
export interface Given {
  readonly name: GivenName;
  readonly parameter: (typeof columns)[GivenName]['parameter'];
}

/** What the creation of a booking of that type is given: its first parameters, in this order. */
export const givenOf = (type: BookingType): readonly Given[] =>
  Object.entries(columns).flatMap(([name, column]) =>
    column.source === 'given' && (column.only ?? type) === type
      ? [{ name: name as GivenName, parameter: column.parameter }]
      : [],
  );

/** The parameter's value. */
export function givenValue(booking: BookingRow, { name }: Given): string | number | null {
  const value = booking[name];
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** What a creation says of the columns that it is not given, the supplier's first order among them. */
export type Stated = Readonly<Record<StatedName | 'order_task' | 'order_due_at', string>>;

/** Writes bookings of that type. `given` is SQL of what is given, `stated` of the rest, both from the rows of `source`. */
export function insertSql(
  type: BookingType,
  given: (name: GivenName) => string,
  stated: Stated,
  source: string,
): string {
  const values = [
    ...givenOf(type).map(({ name }) => [name, given(name)] as const),
    ...Object.entries(stated),
  ];
  return `INSERT INTO bookings (${values.map(([name]) => name).join(', ')})
     SELECT ${values.map(([, value]) => value).join(', ')} FROM ${source}`;
}
