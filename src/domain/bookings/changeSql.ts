import { lockWaitSql } from '../../infrastructure/database/lockWait.ts';
import { type RecordingStatement, recordingStatement } from '../events/recording.ts';
import { longestSweepWaitMs } from '../overdue.ts';
import { type BookingRow, bookingColumns, endedStatuses } from './booking.ts';
import { entrySql, entryTypes, happeningSql, walletSql } from './transitionSql.ts';
import type { ChangeName, Transition } from './transitions.ts';
import { transitions } from './transitions.ts';

const refundSql = ({ refund }: Transition) => (refund === 'in full' ? 'bookings.amount_cents' : '$7::bigint');

/** Columns that a state sets. */
function stateSets(transition: Transition, now: string, refunds: boolean): string[] {
  const ends = endedStatuses.some((status) => status === transition.to);
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
export const longestAnswerWaitMs = 1_000;

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
   )${type ? entrySql(type) : ''}, ${happeningSql(transition, now, '($4::text[])')}, ${eventCtes}
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
