import { plainArray } from '../../infrastructure/database/arrayValues.ts';
import { type RecordingStatement, recordingStatement } from '../events/recording.ts';
import type { IdempotencyRow } from '../idempotency/keySql.ts';
import { keyCtes, keyIsStored, keyValues } from '../idempotency/keySql.ts';
import { availableSql } from '../wallet/debitSql.ts';
import type { BookingRow, BookingType, GivenName } from './booking.ts';
import { creationNames, givenOf, givenValue, insertSql } from './insertSql.ts';
import { entrySql, entryTypes, happeningSql, newEventIds, walletSql } from './transitionSql.ts';
import { transitions } from './transitions.ts';

/** A creation of one booking, and the values of its parameters. */
export interface CreationStatement {
  readonly statement: RecordingStatement<{ id: string }>;
  readonly valuesOf: (booking: BookingRow, key: IdempotencyRow | null) => unknown[];
}

/**
 * A creation. First comes what it is given, then the ids of its events, then the Idempotency-Key. No row comes back when
 * the money does not suffice.
 */
function creation(type: BookingType): CreationStatement {
  const name = creationNames[type];
  const transition = transitions[name];
  const entryType = entryTypes[transition.money];
  const parameters = givenOf(type);
  const given = (column: GivenName) => {
    const index = parameters.findIndex((parameter) => parameter.name === column);
    return `$${index + 1}::${parameters[index]?.parameter}`;
  };
  const [now, amount] = [given('created_at'), given('amount_cents')];
  const eventIds = `($${parameters.length + 1}::text[])`;
  const keyAt = parameters.length + 2;
  const statement = recordingStatement<{ id: string }>(
    `create_${name}_booking`,
    ({ eventCtes }) => `WITH wallet AS (
     UPDATE wallets SET ${walletSql(transition, amount, now).join(', ')}
      WHERE wallets.id = ${given('wallet_id')} AND ${availableSql} >= ${amount}
     RETURNING wallets.*
   ), booking AS (
     ${insertSql(type, given, 'wallet')}
     RETURNING *
   )${entryType ? entrySql(entryType) : ''}, ${happeningSql(transition, now, eventIds)}, ${eventCtes}, ${keyCtes('booking', keyAt)}
   SELECT id FROM booking WHERE ${keyIsStored(keyAt)}`,
  );
  const valuesOf: CreationStatement['valuesOf'] = (row, key) => [
    ...parameters.map((parameter) => givenValue(row, parameter)),
    plainArray(newEventIds()),
    ...keyValues(key),
  ];
  return { statement, valuesOf };
}

/** The creations, by the type of their bookings. */
export const createBooking: Readonly<Record<BookingType, CreationStatement>> = {
  instant: creation('instant'),
  hold: creation('hold'),
};
