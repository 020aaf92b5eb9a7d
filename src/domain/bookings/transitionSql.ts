import { identifierBatch } from '../../infrastructure/identifiers/identifierBatch.ts';
import type { EventType } from '../events/catalogue.ts';
import { debitCrossingSql, lowBalanceSql } from '../wallet/debitSql.ts';
import { entryCtes, moveAssignments, movementSql } from '../wallet/entrySql.ts';
import { type Transition, transitions } from './transitions.ts';

/**
 * What the statements of transitions are made of. Every transition is one, made from its row in the table: the booking's
 * new state, the money, its ledger entry, the events and their deliveries are written together or not at all. Rows are
 * locked in one order, the booking before the wallet, so that no two statements wait for each other.
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

export const entryTypes: Readonly<Record<Transition['money'], 'debit' | 'credit' | null>> = {
  debit: 'debit',
  settle: 'debit',
  refund: 'credit',
  reserve: null,
  release: null,
  none: null,
};

/** What the ledger says of the entry of a booking: its columns from `description` to `payment_method`; `row` has the booking. */
export function entryTextSql(type: 'debit' | 'credit', row: string): string {
  const [words, reference] = type === 'debit' ? ['Booking', 'booking'] : ['Refund of booking', 'refund'];
  return `'${words} ' || ${row}.booking_reference AS description,
            '${reference}' AS reference_type, ${row}.id AS reference_id, NULL::text AS payment_method`;
}

/** CTEs `cause`, `entry` and `closing` of a transition that moves the balance. */
export function entrySql(type: 'debit' | 'credit'): string {
  const [id, amount] = type === 'debit' ? ['debit_id', 'amount_cents'] : ['refund_id', 'refund_cents'];
  return `, cause AS (
     SELECT b.${id} AS entry_id, b.${amount} AS amount_cents, ${entryTextSql(type, 'b')}
       FROM booking b
   ), ${entryCtes(type)}`;
}

/**
 * What a transition may tell, in this order: that the booking was created, the movement, because the booking's state
 * follows from it, the booking's other events, and last the low balance that not every debit brings about.
 */
export function toldBy({ from, events, money }: Transition): EventType[] {
  const type = entryTypes[money];
  const first = from === null ? 1 : 0;
  return [
    ...events.slice(0, first),
    ...(type ? [`wallet.${type}` as const] : []),
    ...events.slice(first),
    ...(type === 'debit' ? ['wallet.low_balance' as const] : []),
  ];
}

const previousSql: Readonly<Record<string, string>> = {
  ticketed: `json_build_object('status', b.previous_status, 'documents', json_build_array())`,
};

/** The CTE `happening`; `eventIds` is an SQL array with an id for each event that the transition may tell. */
export function happeningSql(transition: Transition, now: string, eventIds: string): string {
  const previous = previousSql[transition.to] ?? `json_build_object('status', b.previous_status)`;
  const data =
    transition.from === null
      ? `json_build_object('object', ${bookingObjectSql('b')})`
      : `json_build_object('object', ${bookingObjectSql('b')}, 'previous_attributes', ${previous})`;
  const selects = toldBy(transition).map((event, index) => {
    const ordinal = index + 1;
    const id = `${eventIds}[${ordinal}]`;
    switch (event) {
      case 'wallet.debit':
      case 'wallet.credit':
        return movementSql(event, ordinal, id, now);
      case 'wallet.low_balance':
        return lowBalanceSql(ordinal, id, now);
      default:
        return `SELECT ${ordinal} AS ordinal, ${id} AS id, '${event}' AS type, b.id AS subject_id,
            ${data} AS data, ${now} AS created_at FROM booking b, wallet w`;
    }
  });
  return `happening AS (\n     ${selects.join('\n     UNION ALL\n     ')}\n   )`;
}

/** Events that a transition always tells; a debit may add one about the low balance. */
export function eventCountOf({ events, money }: Transition): number {
  return events.length + (entryTypes[money] ? 1 : 0);
}

/** Those that any transition may tell at most. */
export const mostEvents = Math.max(
  ...Object.values(transitions).map((transition) => toldBy(transition).length),
);

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

export function walletSql(transition: Transition, amount: string, now: string): string[] {
  const count = `event_count = wallets.event_count + ${eventCountOf(transition)}`;
  const counted = entryTypes[transition.money] === 'debit' ? `${count} + ${debitCrossingSql(amount)}` : count;
  return [...walletAssignments(transition.money, amount, now), counted];
}
