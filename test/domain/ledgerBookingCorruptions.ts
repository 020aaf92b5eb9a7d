import type { BookingStory } from './ledgerBookingStory.ts';

type Ways = Record<string, (story: { bookings: BookingStory }) => string>;

/** CHECKs hold even while triggers rest, so they have to go before the row can break them. */
const unchecked = ['check', ...[1, 2, 3, 4, 5, 6].map((number) => `check${number}`), 'rest_refund_check']
  .map((name) => `ALTER TABLE bookings DROP CONSTRAINT bookings_${name};`)
  .join(' ');

const change = (id: string, sets: string) => `${unchecked} UPDATE bookings SET ${sets} WHERE id = '${id}'`;

const changeEntry = (of: string, reference: 'booking' | 'refund', sets: string) =>
  `UPDATE wallet_entries SET ${sets} WHERE reference_type = '${reference}' AND reference_id = '${of}'`;

const withoutEntry = (of: string, reference: 'booking' | 'refund') =>
  `DELETE FROM wallet_entries WHERE reference_type = '${reference}' AND reference_id = '${of}'`;

/** What was told of a booking, moved to the end of its wallet's events. */
const toldLast = (id: string, type: string) =>
  `UPDATE events SET sequence = sequence + 1000 WHERE subject_id = '${id}' AND type = '${type}'`;

const toldTwice = (id: string, type: string) => `
  INSERT INTO events SELECT wallet_id, sequence + 1000, 'evt_copy', team_id, mode, type, subject_id, data, created_at
    FROM events WHERE subject_id = '${id}' AND type = '${type}'`;

/** An entry of a booking once more, with other values in some columns. */
const entryTwice = (of: string, reference: 'booking' | 'refund', changed: string) => `
  INSERT INTO wallet_entries (wallet_id, sequence, type, type_sequence, id, amount_cents, balance_after_cents,
                              description, reference_type, reference_id, created_at)
  SELECT wallet_id, 1000, type, 1000, 'txn_copy', amount_cents, balance_after_cents, description, reference_type,
         reference_id, created_at
    FROM wallet_entries WHERE reference_type = '${reference}' AND reference_id = '${of}';
  UPDATE wallet_entries SET ${changed} WHERE id = 'txn_copy'`;

/** For each check of bookings, ways to break what it proves. */
export const bookingCorruptions: Record<string, Ways> = {
  'each wallet holds what its pending bookings reserve': {
    'a centavo is held for nobody': ({ bookings }) =>
      `UPDATE wallets SET held_cents = held_cents + 1 WHERE id = ${bookings.wallet}`,
    'a wallet without bookings holds a centavo': ({ bookings }) =>
      `UPDATE wallets SET held_cents = 1, balance_cents = 1, credit_cents = 1 WHERE id = ${bookings.empty}`,
    'a reserve is forgotten': ({ bookings }) =>
      `UPDATE wallets SET held_cents = 0 WHERE id = ${bookings.wallet}`,
    'a held booking ended and kept its reserve': ({ bookings }) =>
      change(bookings.held, `status = 'cancelled', ended_at = updated_at`),
    'a test wallet reserves': ({ bookings }) =>
      `UPDATE wallets SET held_cents = 10000 WHERE id = ${bookings.testWallet}`,
  },
  'each paid booking has its debit, and each debit its booking': {
    'the debit is gone': ({ bookings }) => withoutEntry(bookings.paid, 'booking'),
    'the booking is gone': ({ bookings }) => `DELETE FROM bookings WHERE id = '${bookings.paid}'`,
    'the amounts differ': ({ bookings }) => change(bookings.paid, 'amount_cents = amount_cents + 1'),
    'the booking names another debit': ({ bookings }) => change(bookings.paid, `debit_id = 'txn_other'`),
    'the debit names another booking': ({ bookings }) =>
      changeEntry(bookings.paid, 'booking', `reference_id = '${bookings.held}'`),
    'the debit is called a refund': ({ bookings }) =>
      changeEntry(bookings.paid, 'booking', `reference_type = 'refund'`),
    'the debit is a credit': ({ bookings }) =>
      changeEntry(bookings.paid, 'booking', `type = 'credit', type_sequence = 1000`),
    'another wallet paid': ({ bookings }) =>
      changeEntry(bookings.paid, 'booking', `wallet_id = ${bookings.empty}, sequence = 1, type_sequence = 1`),
    'it was debited twice': ({ bookings }) => entryTwice(bookings.paid, 'booking', `type = 'debit'`),
    'a credit is of it, too': ({ bookings }) => entryTwice(bookings.paid, 'booking', `type = 'credit'`),
    'a debit is of none': ({ bookings }) => entryTwice(bookings.paid, 'booking', `reference_type = 'refund'`),
  },
  'each refund is of one booking, and never more than was paid': {
    'the credit is gone': ({ bookings }) => withoutEntry(bookings.refunded, 'refund'),
    'the booking knows of no refund': ({ bookings }) =>
      change(bookings.refunded, 'refund_id = NULL, refund_cents = 0'),
    'the amounts differ': ({ bookings }) => change(bookings.refunded, 'refund_cents = refund_cents - 1'),
    'more came back than was paid': ({ bookings }) =>
      `${change(bookings.refunded, 'refund_cents = amount_cents + 1')};
       ${changeEntry(bookings.refunded, 'refund', `amount_cents = (SELECT refund_cents FROM bookings WHERE id = '${bookings.refunded}')`)}`,
    'it was credited twice': ({ bookings }) => entryTwice(bookings.refunded, 'refund', `type = 'credit'`),
    'it is a debit': ({ bookings }) =>
      changeEntry(bookings.refunded, 'refund', `type = 'debit', type_sequence = 1000`),
    'a refund of nothing is named': ({ bookings }) => change(bookings.kept, `refund_id = 'txn_other'`),
    'a rest of nothing is named': ({ bookings }) => change(bookings.kept, `rest_refund_id = 'txn_other'`),
    'the rest is a debit': ({ bookings }) => `
      UPDATE wallet_entries SET type = 'debit', type_sequence = 1000
       WHERE id = (SELECT rest_refund_id FROM bookings WHERE id = '${bookings.restored}')`,
    'it is of a booking that was never paid': ({ bookings }) =>
      change(bookings.refunded, 'debit_id = NULL, confirmed_at = NULL'),
    'it names another booking': ({ bookings }) =>
      changeEntry(bookings.refunded, 'refund', `reference_id = '${bookings.paid}'`),
    'another wallet got it': ({ bookings }) =>
      changeEntry(
        bookings.failed,
        'refund',
        `wallet_id = ${bookings.empty}, sequence = 1, type_sequence = 1`,
      ),
    'the rest is not known': ({ bookings }) => change(bookings.restored, 'rest_refund_id = NULL'),
    'the rest was credited and is not counted': ({ bookings }) =>
      change(bookings.restored, 'refund_cents = 7000'),
    'the rest came first': ({ bookings }) =>
      change(bookings.restored, 'refund_id = rest_refund_id, rest_refund_id = refund_id'),
    'a rest is named that was never credited': ({ bookings }) =>
      change(bookings.refunded, `rest_refund_id = 'txn_other'`),
    'a refund has no credit': ({ bookings }) => change(bookings.kept, 'refund_cents = 1'),
  },
  'a booking has the money that its state says': {
    'a held booking is debited': ({ bookings }) =>
      change(bookings.paid, `type = 'hold', status = 'pending', confirmed_at = NULL`),
    'a confirmed booking is not': ({ bookings }) => change(bookings.paid, 'debit_id = NULL'),
    'a held booking was refunded': ({ bookings }) => change(bookings.held, 'refund_cents = 1'),
    'a ticketed booking is not': ({ bookings }) => change(bookings.ticketed, 'debit_id = NULL'),
    'a ticketed booking was refunded': ({ bookings }) => change(bookings.ticketed, 'refund_cents = 1'),
    'an expired booking was refunded': ({ bookings }) => change(bookings.expired, 'refund_cents = 1'),
    'a failed booking kept a centavo': ({ bookings }) =>
      change(bookings.failed, 'refund_cents = refund_cents - 1'),
    'a failed booking that was never debited was refunded': ({ bookings }) =>
      change(bookings.failed, 'debit_id = NULL, refund_cents = 1'),
    'a failed booking kept everything': ({ bookings }) => change(bookings.failed, 'refund_cents = NULL'),
    'a cancelled booking says nothing of its refund': ({ bookings }) =>
      change(bookings.kept, 'refund_cents = NULL'),
    'a cancelled hold has one': ({ bookings }) => change(bookings.withdrawn, 'refund_cents = 0'),
  },
  'each booking has told each of its states once, in their order': {
    'one was never told': ({ bookings }) =>
      `DELETE FROM events WHERE subject_id = '${bookings.held}' AND type = 'booking.created'`,
    'an end was never told': ({ bookings }) =>
      `DELETE FROM events WHERE subject_id = '${bookings.expired}' AND type = 'booking.expired'`,
    'a change was not told as an update': ({ bookings }) =>
      `DELETE FROM events WHERE subject_id = '${bookings.withdrawn}' AND type = 'booking.updated'`,
    'a creation was told as an update too': ({ bookings }) =>
      `UPDATE events SET type = 'booking.updated', subject_id = '${bookings.paid}'
        WHERE subject_id = '${bookings.held}' AND type = 'booking.created'`,
    'tickets were told twice': ({ bookings }) => toldTwice(bookings.ticketed, 'booking.ticketed'),
    'an update was told that was none': ({ bookings }) => toldTwice(bookings.ticketed, 'booking.updated'),
    'a state that it is not in was told': ({ bookings }) =>
      `UPDATE events SET type = 'booking.failed' WHERE subject_id = '${bookings.expired}' AND type = 'booking.expired'`,
    'the first state was told last': ({ bookings }) => toldLast(bookings.ticketed, 'booking.created'),
    'an unknown booking was told': ({ bookings }) => `
      ${toldTwice(bookings.held, 'booking.created')};
      UPDATE events SET subject_id = 'ord_unknown' WHERE id = 'evt_copy'`,
    'it was told to another wallet': ({ bookings }) =>
      `UPDATE events SET wallet_id = ${bookings.empty}, sequence = sequence + 1000 WHERE subject_id = '${bookings.held}'`,
  },
  'bookings belong to the team and mode of their wallet': {
    'another mode': ({ bookings }) => change(bookings.withdrawn, `mode = 'test'`),
    'another team': ({ bookings }) => change(bookings.withdrawn, `team_id = 'team_other'`),
    'no such wallet': ({ bookings }) => change(bookings.withdrawn, 'wallet_id = 999999'),
  },
};
