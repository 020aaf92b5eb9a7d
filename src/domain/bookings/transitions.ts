import type { EventType } from '../events/catalogue.ts';
import type { BookingStatus } from './booking.ts';

/**
 * How a booking's state may change: all there is. A change that is not in this table is refused and changes nothing.
 * The statements (`creationSql.ts`, `groupSql.ts`, `changeSql.ts`) and the documentation are made from it.
 */
export interface Transition {
  /** Null for the creation. */
  readonly from: readonly BookingStatus[] | null;
  readonly to: BookingStatus;
  /** What brings it about, for the documentation. */
  readonly trigger: string;
  /**
   * What happens to the money: `debit` takes available money at once, `reserve` sets it aside, `settle` debits what was
   * set aside, `release` gives that back, `refund` credits what `refund` says, `none` leaves it.
   */
  readonly money: 'debit' | 'reserve' | 'settle' | 'release' | 'refund' | 'none';
  /** How much a refund gives back: the whole price, or what its caller takes from the offer's conditions. */
  readonly refund?: 'in full' | 'by its conditions';
  /** Booking events, in the order in which they are told. */
  readonly events: readonly EventType[];
  /** What the supplier is to be asked next; null for nothing more. */
  readonly task: 'hold' | 'issue' | 'cancel' | null;
  /** Only before, or only from, the time that a hold must be paid by. */
  readonly deadline?: 'before' | 'from';
}

const table = {
  book: {
    from: null,
    to: 'confirmed',
    trigger: 'POST /bookings, type instant',
    money: 'debit',
    events: ['booking.created', 'booking.confirmed'],
    task: 'issue',
  },
  hold: {
    from: null,
    to: 'pending',
    trigger: 'POST /bookings, type hold',
    money: 'reserve',
    events: ['booking.created'],
    task: 'hold',
  },
  confirm: {
    from: ['pending'],
    to: 'confirmed',
    trigger: 'POST /bookings/:id/confirm, before payment_required_by',
    money: 'settle',
    events: ['booking.confirmed', 'booking.updated'],
    task: 'issue',
    deadline: 'before',
  },
  expire: {
    from: ['pending'],
    to: 'expired',
    trigger: 'payment_required_by is reached',
    money: 'release',
    events: ['booking.expired', 'booking.updated'],
    task: 'cancel',
    deadline: 'from',
  },
  expireTest: {
    from: ['pending'],
    to: 'expired',
    trigger: 'test helper, in test mode',
    money: 'release',
    events: ['booking.expired', 'booking.updated'],
    task: 'cancel',
  },
  withdraw: {
    from: ['pending'],
    to: 'cancelled',
    trigger: 'POST /bookings/:id/cancel',
    money: 'release',
    events: ['booking.cancelled', 'booking.updated'],
    task: 'cancel',
  },
  rejectHold: {
    from: ['pending'],
    to: 'failed',
    trigger: 'the supplier does not hold the space',
    money: 'release',
    events: ['booking.failed', 'booking.updated'],
    task: null,
  },
  ticket: {
    from: ['confirmed'],
    to: 'ticketed',
    trigger: 'the carrier issues the tickets',
    money: 'none',
    events: ['booking.ticketed', 'booking.updated'],
    task: null,
  },
  rejectIssue: {
    from: ['confirmed'],
    to: 'failed',
    trigger: 'the carrier does not issue the tickets',
    money: 'refund',
    refund: 'in full',
    events: ['booking.failed', 'booking.updated'],
    task: 'cancel',
  },
  giveUp: {
    from: ['confirmed'],
    to: 'failed',
    trigger: 'an operator, for a carrier that never decides',
    money: 'refund',
    refund: 'in full',
    events: ['booking.failed', 'booking.updated'],
    task: 'cancel',
  },
  cancelForCarrier: {
    from: ['confirmed', 'ticketed'],
    to: 'cancelled',
    trigger: 'an operator, for flights that the carrier has cancelled',
    money: 'refund',
    refund: 'in full',
    events: ['booking.cancelled', 'booking.updated'],
    task: 'cancel',
  },
  cancel: {
    from: ['confirmed', 'ticketed'],
    to: 'cancelled',
    trigger: 'POST /bookings/:id/cancel, before departure',
    money: 'refund',
    refund: 'by its conditions',
    events: ['booking.cancelled', 'booking.updated'],
    task: 'cancel',
  },
} satisfies Record<string, Transition>;

export type TransitionName = keyof typeof table;

/** Those that change a booking which is there. */
export type ChangeName = Exclude<TransitionName, 'book' | 'hold'>;

/** Those whose callers say how much is given back. */
export type ConditionalRefund = {
  [Name in ChangeName]: (typeof table)[Name] extends { refund: 'by its conditions' } ? Name : never;
}[ChangeName];

export const transitions: Readonly<Record<TransitionName, Transition>> = table;

const moneyInWords: Readonly<Record<Transition['money'], string>> = {
  debit: 'debited',
  reserve: 'reserved (pending_amount)',
  settle: 'reserve becomes a debit',
  release: 'reserve released',
  refund: 'refund credited',
  none: '–',
};

/** The table as Markdown, for the documentation. */
export function transitionTable(): string {
  const rows = Object.values(transitions).map(({ from, to, trigger, money, refund = '', events }) => {
    const moved = `${moneyInWords[money]} ${refund}`.trim();
    const cells = [from?.join(', ') ?? '(none)', trigger, to, moved, events.join(', ')];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| From | Trigger | To | Money | Booking events |', '|---|---|---|---|---|', ...rows].join('\n');
}
