import type { BookingRow, BookingType, GivenName, StatedName } from './booking.ts';
import { columns } from './booking.ts';
import { transitions } from './transitions.ts';

/** The transitions that create bookings, by their type. */
export const creationNames = { instant: 'book', hold: 'hold' } as const;

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
type Stated = Readonly<Record<StatedName | 'order_task' | 'order_due_at', string>>;

/** Writes bookings of that type. `given` is SQL of what is given; each row of `source` has the team and mode of a booking. */
export function insertSql(type: BookingType, given: (name: GivenName) => string, source: string): string {
  const { to, task } = transitions[creationNames[type]];
  const now = given('created_at');
  const stated: Stated = {
    team_id: 'team_id',
    mode: 'mode',
    type: `'${type}'`,
    status: `'${to}'`,
    updated_at: now,
    confirmed_at: type === 'instant' ? now : 'NULL::timestamptz',
    order_task: `'${task}'`,
    order_due_at: now,
  };
  const values = [
    ...givenOf(type).map(({ name }) => [name, given(name)] as const),
    ...Object.entries(stated),
  ];
  return `INSERT INTO bookings (${values.map(([name]) => name).join(', ')})
     SELECT ${values.map(([, value]) => value).join(', ')} FROM ${source}`;
}
