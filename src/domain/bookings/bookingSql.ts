import { plainArray } from '../../infrastructure/database/arrayValues.ts';
import { lockWaitSql } from '../../infrastructure/database/lockWait.ts';
import { identifierBatch } from '../../infrastructure/identifierBatch.ts';
import { type RecordingStatement, recordingStatement } from '../events/recording.ts';
import type { KeyRow } from '../idempotency/keySql.ts';
import { keyCtes, keyIsStored, keyValues } from '../idempotency/keySql.ts';
import { longestSweepWaitMs } from '../overdue.ts';
import { availableSql, crossingSql, lowBalanceSql } from '../wallet/debitSql.ts';
import { entryCtes, moveAssignments, transactionObjectSql } from '../wallet/entrySql.ts';
import { type BookingRow, type BookingType, bookingColumns, type GivenName } from './booking.ts';
import { givenOf, givenValue, insertSql } from './insertSql.ts';
import type { ChangeName, Transition } from './transitions.ts';
import { transitions } from './transitions.ts';

/**
 * Every transition is one SQL statement, made from its row in the table: the booking's new state, the money, its ledger
 * entry, the events and their deliveries are written together or not at all. Rows are locked in one order, the booking
 * before the wallet, so that no two statements wait for each other.
 */

/** SQL of SPEC's Booking as events carry it; `row` names its CTE or table. */
export const bookingObjectSql = (row: string) => `json_build_object(
      'id', ${row}.id, 'booking_reference', ${row}.booking_reference, 'status', ${row}.status,
      'total_amount', decimal_amount(${row}.amount_cents), 'currency', 'BRL', 'documents', ${row}.documents,
      'passengers', ${row}.passengers, 'slices', ${row}.slices, 'created_at', iso_timestamp(${row}.created_at))`;

const heldMove = (sign: '+' | '-', amount: string) =>
  `held_cents = wallets.held_cents ${sign} CASE wallets.mode WHEN 'live' THEN ${amount} ELSE 0 END`;

/** Assignments to the wallet's row for each kind of money movement; `amount` is SQL of the booking's price. */
function walletAssignments(money: Transition['money'], amount: string, now: string): string[] {
  switch (money) {
    case 'debit':
      return [moveAssignments('debit', amount, now)];
    case 'settle':
      return [moveAssignments('debit', amount, now), heldMove('-', amount)];
    case 'reserve':
      return [heldMove('+', amount)];
    case 'release':
      return [heldMove('-', amount)];
    case 'refund':
      return [moveAssignments('credit', 'b.refund_cents', now)];
    case 'none':
      return [];
  }
}

const entryTypes: Readonly<Record<Transition['money'], 'debit' | 'credit' | null>> = {
  debit: 'debit',
  settle: 'debit',
  refund: 'credit',
  reserve: null,
  release: null,
  none: null,
};

/** CTEs `cause`, `entry` and `closing` of a transition that moves the balance. */
function entrySql(type: 'debit' | 'credit'): string {
  const [verb, column, amount, reference] =
    type === 'debit'
      ? ['Booking', 'debit_id', 'amount_cents', 'booking']
      : ['Refund of booking', 'refund_id', 'refund_cents', 'refund'];
  return `, cause AS (
     SELECT b.${column} AS entry_id, b.${amount} AS amount_cents, '${verb} ' || b.booking_reference AS description,
            '${reference}' AS reference_type, b.id AS reference_id, NULL::text AS payment_method
       FROM booking b
   ), ${entryCtes(type)}`;
}

const previousSql: Readonly<Record<string, string>> = {
  ticketed: `json_build_object('status', b.previous_status, 'documents', json_build_array())`,
};

/**
 * The CTE `happening`: the movement's event first, because it is what the booking's state follows from, then the
 * booking's, then the low balance. `eventIds` is an SQL array with an id for each of them.
 */
function happeningSql(transition: Transition, now: string, eventIds: string): string {
  const type = entryTypes[transition.money];
  const selects: string[] = [];
  const next = () => selects.length + 1;
  const booking = (event: string) => {
    const ordinal = next();
    const previous = previousSql[transition.to] ?? `json_build_object('status', b.previous_status)`;
    const data =
      transition.from === null
        ? `json_build_object('object', ${bookingObjectSql('b')})`
        : `json_build_object('object', ${bookingObjectSql('b')}, 'previous_attributes', ${previous})`;
    selects.push(`SELECT ${ordinal} AS ordinal, ${eventIds}[${ordinal}] AS id, '${event}' AS type, b.id AS subject_id,
            ${data} AS data, ${now} AS created_at FROM booking b, wallet w`);
  };
  const events = [...transition.events];
  if (transition.from === null) booking(events.shift()!);
  if (type) {
    const ordinal = next();
    selects.push(`SELECT ${ordinal} AS ordinal, ${eventIds}[${ordinal}] AS id, 'wallet.${type}' AS type, e.id AS subject_id,
            json_build_object('object', ${transactionObjectSql('e')}) AS data, ${now} AS created_at FROM entry e`);
  }
  for (const event of events) booking(event);
  if (type === 'debit') {
    const ordinal = next();
    selects.push(lowBalanceSql(ordinal, `${eventIds}[${ordinal}]`, now));
  }
  return `happening AS (\n     ${selects.join('\n     UNION ALL\n     ')}\n   )`;
}

/** Events that a transition always tells; a debit may add one about the low balance. */
function eventCountOf({ events, money }: Transition): number {
  return events.length + (entryTypes[money] ? 1 : 0);
}

export const mostEvents = 4;

/**
 * Ids for so many transitions: each has one for every event that it may tell. Bookings of several agencies may be written
 * together, and ids of one batch tell each other: so none shares a batch with another.
 */
export function newEventIds(transitions = 1): string[] {
  return Array.from({ length: transitions }, () => {
    const newId = identifierBatch();
    return Array.from({ length: mostEvents }, () => newId('evt'));
  }).flat();
}

function walletSql(transition: Transition, amount: string, now: string): string[] {
  const count = `event_count = wallets.event_count + ${eventCountOf(transition)}`;
  const counted = entryTypes[transition.money] === 'debit' ? `${count} + ${crossingSql(amount)}` : count;
  return [...walletAssignments(transition.money, amount, now), counted];
}

/** A creation of one booking, and the values of its parameters. */
export interface Creation {
  readonly statement: RecordingStatement<{ id: string }>;
  readonly valuesOf: (booking: BookingRow, key: KeyRow | null) => unknown[];
}

/**
 * A creation. First comes what it is given, then the ids of its events, then the Idempotency-Key. No row comes back when
 * the money does not suffice.
 */
function creation(name: 'book' | 'hold'): Creation {
  const transition = transitions[name];
  const instant = transition.money === 'debit';
  const type = instant ? 'instant' : 'hold';
  const parameters = givenOf(type);
  const given = (column: GivenName) => {
    const index = parameters.findIndex((parameter) => parameter.name === column);
    return `$${index + 1}::${parameters[index]?.parameter}`;
  };
  const [now, amount] = [given('created_at'), given('amount_cents')];
  const eventIds = `($${parameters.length + 1}::text[])`;
  const keyAt = parameters.length + 2;
  const booking = insertSql(
    type,
    given,
    {
      team_id: 'w.team_id',
      mode: 'w.mode',
      type: `'${type}'`,
      status: `'${transition.to}'`,
      updated_at: now,
      confirmed_at: instant ? now : 'NULL::timestamptz',
      order_task: `'${transition.task}'`,
      order_due_at: now,
    },
    'wallet w',
  );
  const statement = recordingStatement<{ id: string }>(
    `create_${name}_booking`,
    ({ eventCtes }) => `WITH wallet AS (
     UPDATE wallets SET ${walletSql(transition, amount, now).join(', ')}
      WHERE wallets.id = ${given('wallet_id')} AND ${availableSql} >= ${amount}
     RETURNING wallets.*
   ), booking AS (
     ${booking}
     RETURNING *
   )${instant ? entrySql('debit') : ''}, stream AS (
     SELECT id, team_id, mode, event_count FROM wallet
   ), ${happeningSql(transition, now, eventIds)}, ${eventCtes}, ${keyCtes('booking', keyAt)}
   SELECT id FROM booking WHERE ${keyIsStored('booking', keyAt)}`,
  );
  const valuesOf: Creation['valuesOf'] = (row, key) => [
    ...parameters.map((parameter) => givenValue(row, parameter)),
    plainArray(newEventIds()),
    ...keyValues(key),
  ];
  return { statement, valuesOf };
}

/** The creations, by the type of their bookings. */
export const createBooking: Readonly<Record<BookingType, Creation>> = {
  instant: creation('book'),
  hold: creation('hold'),
};

const refundSql = ({ refund }: Transition) => (refund === 'in full' ? 'bookings.amount_cents' : '$7::bigint');

/** Columns that a state sets. */
function stateSets(transition: Transition, now: string, refunds: boolean): string[] {
  const ends = ['cancelled', 'expired', 'failed'].includes(transition.to);
  return [
    `status = '${transition.to}'`,
    `updated_at = ${now}`,
    ...(transition.money === 'settle' ? [`debit_id = $6`, `confirmed_at = ${now}`] : []),
    ...(transition.to === 'ticketed'
      ? [
          `ticketed_at = ${now}`,
          'documents = $8::json',
          'carrier_reference = coalesce($9::text, bookings.carrier_reference)',
        ]
      : []),
    ...(ends ? [`ended_at = ${now}`] : []),
    ...(transition.money === 'refund' ? [`refund_cents = ${refundSql(transition)}`] : []),
    ...(refunds ? ['refund_id = $6'] : []),
    ...(transition.task
      ? [`order_task = '${transition.task}'`, `order_due_at = ${now}`]
      : ['order_task = NULL', 'order_due_at = NULL']),
    'order_asked = 0',
    // What a client changes while a supplier is being asked leaves it the lease, until it has answered.
    'order_token = CASE WHEN $5::text IS NULL THEN bookings.order_token END',
    'order_leased_until = CASE WHEN $5::text IS NULL THEN bookings.order_leased_until END',
  ];
}

const deadlines = {
  before: (now: string) => `AND before.payment_required_by > ${now}`,
  from: (now: string) => `AND before.payment_required_by <= ${now}`,
};

/**
 * How long the answer of a supplier waits for its wallet, in milliseconds: far longer than a busy one takes. Answers that
 * wait each keep a connection from all other teams, and can be asked for again.
 */
const longestAnswerWaitMs = 1_000;

/** A supplier's answer comes with its worker's lease; the same from an operator waits as long as what any client asks for. */
const answerWait = `CASE WHEN $5::text IS NULL THEN true ELSE ${lockWaitSql(longestAnswerWaitMs)} END`;

/** What workers bring about waits no longer for its wallet: one that is locked must not keep the others from their turn. */
const waits: Readonly<Partial<Record<ChangeName, string>>> = {
  expire: lockWaitSql(longestSweepWaitMs),
  rejectHold: answerWait,
  ticket: answerWait,
  rejectIssue: answerWait,
};

/**
 * A change of state. $1 id, $2 wallet, $3 now, $4 ids of events, $5 the asking worker's token or null, $6 entry id,
 * $7 refund by conditions in centavos, $8 documents, $9 the carrier's locator; the last three are null where a transition
 * does not need them. No row comes back when the booking is not in a state that the table names, the deadline does not fit
 * or the worker has lost its lease. The CTE `parameters` says the types of those that a statement does not use.
 */
function changeStatement(
  name: ChangeName,
  refunds = transitions[name].money === 'refund',
): RecordingStatement<BookingRow> {
  const written = transitions[name];
  const transition: Transition =
    refunds || written.money !== 'refund' ? written : { ...written, money: 'none' };
  const now = '$3::timestamptz';
  const type = entryTypes[transition.money];
  const wait = waits[name];
  const states = (written.from ?? []).map((state) => `'${state}'`).join(', ');
  return recordingStatement<BookingRow>(
    `${name}_booking${written.money === 'refund' && !refunds ? '_without_refund' : ''}`,
    ({ eventCtes }) => `WITH before AS (
     SELECT id, status, payment_required_by FROM bookings
      WHERE id = $1 AND wallet_id = $2 AND ($5::text IS NULL OR order_token = $5)
            ${wait ? `AND ${wait}` : ''} FOR UPDATE
   ), parameters AS (
     SELECT $6::text, $7::bigint, $8::text, $9::text
   ), booking AS (
     UPDATE bookings SET ${stateSets(written, now, refunds).join(', ')}
       FROM before
      WHERE bookings.id = before.id AND before.status IN (${states})
            ${written.deadline ? deadlines[written.deadline](now) : ''}
     RETURNING bookings.*, before.status AS previous_status
   ), wallet AS (
     UPDATE wallets SET ${walletSql(transition, 'b.amount_cents', now).join(', ')}
       FROM booking b WHERE wallets.id = b.wallet_id
     RETURNING wallets.*
   )${type ? entrySql(type) : ''}, stream AS (
     SELECT id, team_id, mode, event_count FROM wallet
   ), ${happeningSql(transition, now, '($4::text[])')}, ${eventCtes}
   SELECT ${bookingColumns('b')} FROM booking b`,
  );
}

interface ChangeStatements {
  readonly usual: RecordingStatement<BookingRow>;
  /** Of a refund whose conditions give nothing back: no entry may move nothing. */
  readonly withoutRefund: RecordingStatement<BookingRow>;
}

function changeStatements(name: ChangeName): ChangeStatements {
  const usual = changeStatement(name);
  const mayGiveNothing = transitions[name].refund === 'by its conditions';
  return { usual, withoutRefund: mayGiveNothing ? changeStatement(name, false) : usual };
}

const changeNames = Object.entries(transitions).flatMap(([name, { from }]) =>
  from ? [name as ChangeName] : [],
);

/** The changes, by their transition. */
export const changeBooking = Object.fromEntries(
  changeNames.map((name) => [name, changeStatements(name)]),
) as Readonly<Record<ChangeName, ChangeStatements>>;
