import { bookingCorruptions } from './ledgerBookingCorruptions.ts';
import type { BookingStory } from './ledgerBookingStory.ts';
import { returnCorruptions } from './ledgerReturnCorruptions.ts';
import type { ReturnStory } from './ledgerReturnStory.ts';

/** What the corruptions are about: wallets and recharges whose history is known. */
export interface Story {
  /** Live: entries 1 to 5 are credit, credit of an expired recharge, credit on the next day, debit, credit. */
  live: number;
  /** Test: a credit and a debit, and a debit on the next day. */
  test: number;
  /** A live wallet in which nothing ever happened. */
  empty: number;
  pending: string;
  completed: string;
  expired: string;
  /** Expired first, completed by a payment made in time. */
  late: string;
  /** In wallets of their own. */
  bookings: BookingStory;
  returns: ReturnStory;
}

/** A CHECK holds even while triggers rest, so it has to go before the row can break it. */
const withoutConstraint = (table: string, name: string) => `ALTER TABLE ${table} DROP CONSTRAINT ${name};`;

const copyOfEvent = (id: string, type: string) => `
  INSERT INTO events SELECT wallet_id, (SELECT max(sequence) + 1 FROM events n WHERE n.wallet_id = e.wallet_id),
                            'evt_copy', team_id, mode, type, subject_id, data, created_at
    FROM events e WHERE subject_id = ${id} AND type = '${type}';
  UPDATE wallets SET event_count = event_count + 1
   WHERE id = (SELECT wallet_id FROM events WHERE id = 'evt_copy')`;

export const paymentOf = (rechargeId: string, cents: string, id = 'pay_1') => `
  INSERT INTO payment_notices (id, provider, provider_reference, outcome, recharge_id, amount_cents, paid_at, received_at,
                               settlement, settled_at)
  VALUES ('${id}', 'simulated', '${id}', 'paid', ${rechargeId}, ${cents}, now(), now(), 'automatic', now())`;

export const settledAs = (settlement: 'credited' | 'dismissed', id: string) =>
  `UPDATE payment_notices SET reason = 'ended', settlement = '${settlement}' WHERE id = '${id}'`;

const renumberedEvents = (id: string) => `
  UPDATE events SET sequence = sequence + 1000 WHERE subject_id = ${id} AND type LIKE '%pending';
  UPDATE events SET sequence = r.position FROM (
      SELECT id, row_number() OVER (PARTITION BY wallet_id ORDER BY sequence) + 5000 AS position FROM events) r
   WHERE r.id = events.id;
  UPDATE events SET sequence = sequence - 5000`;

const entry = (story: Story, sequence: number) => `wallet_id = ${story.live} AND sequence = ${sequence}`;
const entryId = (story: Story, sequence: number) =>
  `(SELECT id FROM wallet_entries WHERE ${entry(story, sequence)})`;

/** For each check, ways to break what it proves. */
export const corruptions: Record<string, Record<string, (story: Story) => string>> = {
  'entries are numbered 1 to n in each wallet': {
    'a number is skipped': (story) => `UPDATE wallet_entries SET sequence = 6 WHERE ${entry(story, 5)}`,
    'an entry is gone': (story) => `DELETE FROM wallet_entries WHERE ${entry(story, 2)}`,
    'the first entry is gone': (story) => `DELETE FROM wallet_entries WHERE ${entry(story, 1)}`,
    'the numbers begin with none': (story) =>
      `${withoutConstraint('wallet_entries', 'wallet_entries_sequence_check')}
       UPDATE wallet_entries SET sequence = 0 WHERE ${entry(story, 1)}`,
  },
  'credits and debits are numbered 1 to n in the order of the entries': {
    'two credits changed numbers': (story) => `
      UPDATE wallet_entries SET type_sequence = 100 WHERE ${entry(story, 1)};
      UPDATE wallet_entries SET type_sequence = 1 WHERE ${entry(story, 2)};
      UPDATE wallet_entries SET type_sequence = 2 WHERE ${entry(story, 1)}`,
    'a debit is numbered like the credits': (story) =>
      `UPDATE wallet_entries SET type_sequence = 4 WHERE ${entry(story, 4)}`,
    'the credits begin with none': (story) =>
      `${withoutConstraint('wallet_entries', 'wallet_entries_type_sequence_check')}
       UPDATE wallet_entries SET type_sequence = 0 WHERE ${entry(story, 1)}`,
  },
  'each balance follows from the one before': {
    'a balance is off by a centavo': (story) =>
      `UPDATE wallet_entries SET balance_after_cents = balance_after_cents + 1 WHERE ${entry(story, 2)}`,
    'the first balance is not the first amount': (story) =>
      `UPDATE wallet_entries SET balance_after_cents = balance_after_cents - 1 WHERE ${entry(story, 1)}`,
    'the last balance is a centavo short': (story) =>
      `UPDATE wallet_entries SET balance_after_cents = balance_after_cents - 1 WHERE ${entry(story, 5)}`,
    'an amount was changed': (story) =>
      `UPDATE wallet_entries SET amount_cents = amount_cents + 1 WHERE ${entry(story, 4)}`,
    'the highest bit of a debit flipped': (story) =>
      `${withoutConstraint('wallet_entries', 'wallet_entries_amount_cents_check')}
       UPDATE wallet_entries SET amount_cents = amount_cents - 9223372036854775807 - 1 WHERE ${entry(story, 4)}`,
    'a credit is of the largest amount': (story) =>
      `UPDATE wallet_entries SET amount_cents = 9223372036854775807 WHERE ${entry(story, 5)}`,
    'a test balance moved': (story) =>
      `UPDATE wallet_entries SET balance_after_cents = 515000 WHERE wallet_id = ${story.test} AND sequence = 1`,
  },
  'time never runs backwards from entry to entry': {
    'an entry is older than the one before': (story) =>
      `UPDATE wallet_entries SET created_at = created_at - interval '3 days' WHERE ${entry(story, 3)}`,
  },
  'every amount is positive and no balance negative': {
    'an amount is nothing': (story) =>
      `${withoutConstraint('wallet_entries', 'wallet_entries_amount_cents_check')}
       UPDATE wallet_entries SET amount_cents = 0 WHERE ${entry(story, 4)}`,
    'an entry leaves less than nothing': (story) =>
      `${withoutConstraint('wallet_entries', 'wallet_entries_balance_after_cents_check')}
       UPDATE wallet_entries SET balance_after_cents = -1 WHERE ${entry(story, 4)}`,
    'a wallet has less than nothing': (story) =>
      `${withoutConstraint('wallets', 'wallet_balance_not_negative')} ${withoutConstraint('wallets', 'wallet_holds_covered')}
       UPDATE wallets SET balance_cents = -1, debit_cents = credit_cents + 1 WHERE id = ${story.live}`,
  },
  'counts and sums of each wallet are those of its entries': {
    'a credit too many is counted': (story) =>
      `UPDATE wallets SET credit_count = credit_count + 1 WHERE id = ${story.live}`,
    'a debit too few is counted': (story) =>
      `UPDATE wallets SET debit_count = debit_count - 1 WHERE id = ${story.test}`,
    'both sums are off': (story) =>
      `UPDATE wallets SET credit_cents = credit_cents + 1, debit_cents = debit_cents + 1 WHERE id = ${story.live}`,
    'a centavo more was credited': (story) =>
      `UPDATE wallets SET credit_cents = credit_cents + 1, balance_cents = balance_cents + 1 WHERE id = ${story.live}`,
    'a centavo more was debited': (story) =>
      `UPDATE wallets SET debit_cents = debit_cents + 1, balance_cents = balance_cents - 1 WHERE id = ${story.live}`,
    'a wallet without entries counts one': (story) =>
      `UPDATE wallets SET credit_count = 1 WHERE id = ${story.empty}`,
    'the last entry is gone': (story) => `DELETE FROM wallet_entries WHERE ${entry(story, 5)}`,
  },
  'each balance is credits less debits': {
    'a centavo out of nowhere': (story) =>
      `UPDATE wallets SET balance_cents = balance_cents + 1, credit_cents = credit_cents + 1 WHERE id = ${story.live}`,
    'money without an entry': (story) =>
      `UPDATE wallets SET balance_cents = 1, credit_cents = 1 WHERE id = ${story.empty}`,
    'a test wallet has less': (story) =>
      `${withoutConstraint('wallets', 'wallet_balance_matches_totals')}
       UPDATE wallets SET balance_cents = 499999 WHERE id = ${story.test}`,
  },
  'each wallet stands where its last entry left it': {
    'another balance': (story) =>
      `UPDATE wallets SET balance_cents = balance_cents - 1, debit_cents = debit_cents + 1 WHERE id = ${story.live}`,
    'a centavo more': (story) =>
      `UPDATE wallets SET balance_cents = balance_cents + 1, credit_cents = credit_cents + 1 WHERE id = ${story.live}`,
    'another time': (story) =>
      `UPDATE wallets SET last_transaction_at = last_transaction_at + interval '1 millisecond' WHERE id = ${story.live}`,
    'no time': (story) => `UPDATE wallets SET last_transaction_at = NULL WHERE id = ${story.test}`,
    'a time without an entry': (story) =>
      `UPDATE wallets SET last_transaction_at = now() WHERE id = ${story.empty}`,
  },
  'each day closes with the totals of the entries up to its end': {
    ...Object.fromEntries(
      ['credit_count', 'debit_count', 'credit_cents', 'debit_cents'].map((total) => [
        `its ${total} is off by one`,
        (story: Story) => `UPDATE wallet_days SET ${total} = ${total} + 1 WHERE wallet_id = ${story.live}`,
      ]),
    ),
    'the first day is missing': (story) =>
      `DELETE FROM wallet_days WHERE wallet_id = ${story.live}
          AND day = (SELECT min(day) FROM wallet_days WHERE wallet_id = ${story.live})`,
    'a day too many': (story) => `INSERT INTO wallet_days VALUES (${story.empty}, '2026-01-01', 0, 0, 0, 0)`,
    'an entry moved to the other day': (story) =>
      `UPDATE wallet_entries SET created_at = created_at - interval '1 day' WHERE ${entry(story, 3)}`,
  },
  'a recharge is paid in time when it is completed, or an operator let it pass, and only then': {
    'paid after its deadline': (story) =>
      `UPDATE recharges SET paid_at = expires_at + interval '1 millisecond' WHERE id = '${story.completed}'`,
    'pending with a payment': (story) =>
      `${withoutConstraint('recharges', 'recharges_check')}
       UPDATE recharges SET paid_at = created_at WHERE id = '${story.pending}'`,
    'completed without a transaction': (story) =>
      `${withoutConstraint('recharges', 'recharges_check1')}
       UPDATE recharges SET transaction_id = NULL WHERE id = '${story.completed}'`,
    'completed at no time': (story) =>
      `${withoutConstraint('recharges', 'recharges_check')}
       UPDATE recharges SET paid_at = NULL WHERE id = '${story.completed}'`,
    'pending with a transaction': (story) =>
      `${withoutConstraint('recharges', 'recharges_check1')}
       UPDATE recharges SET transaction_id = 'txn_other' WHERE id = '${story.pending}'`,
    'paid late, which an operator did not let pass': ({ completed }) => `
      UPDATE recharges SET paid_at = expires_at + interval '1 millisecond' WHERE id = '${completed}';
      ${paymentOf(`'${completed}'`, '15000')}; ${settledAs('dismissed', 'pay_1')}`,
    'paid late, where an operator let another pass': ({ completed, late }) => `
      UPDATE recharges SET paid_at = expires_at + interval '1 millisecond' WHERE id = '${completed}';
      ${paymentOf(`'${late}'`, '13000')}; ${settledAs('credited', 'pay_1')}`,
  },
  'each completed recharge has its credit, and each recharge credit its recharge': {
    'the credit is gone': (story) =>
      `DELETE FROM wallet_entries WHERE wallet_id = ${story.live} AND reference_id = '${story.late}'`,
    'the recharge names another credit': (story) =>
      `UPDATE recharges SET transaction_id = 'txn_other' WHERE id = '${story.late}'`,
    'the amounts differ': (story) =>
      `UPDATE recharges SET amount_cents = amount_cents + 1 WHERE id = '${story.completed}'`,
    'the recharge was never paid': (story) =>
      `UPDATE recharges SET status = 'expired', paid_at = NULL, transaction_id = NULL WHERE id = '${story.late}'`,
    'the credit names another recharge': (story) =>
      `UPDATE wallet_entries SET reference_id = '${story.pending}' WHERE ${entry(story, 1)}`,
    'the credit is a debit': (story) =>
      `UPDATE wallet_entries SET type = 'debit', type_sequence = 1000 WHERE ${entry(story, 5)}`,
    'the credit was paid otherwise': (story) =>
      `UPDATE wallet_entries SET payment_method = 'boleto' WHERE ${entry(story, 1)}`,
    'nobody knows how the credit was paid': (story) =>
      `UPDATE wallet_entries SET payment_method = NULL WHERE ${entry(story, 1)}`,
    'the credit went to another wallet': (story) =>
      `UPDATE wallet_entries SET wallet_id = ${story.empty}, sequence = 1, type_sequence = 1 WHERE ${entry(story, 5)}`,
  },
  'each day counts its pending and completed recharges': {
    'a centavo too much': (story) =>
      `UPDATE recharge_days SET requested_cents = requested_cents + 1 WHERE wallet_id = ${story.live}`,
    'a day is missing': (story) => `DELETE FROM recharge_days WHERE wallet_id = ${story.test}`,
    'a day out of nowhere': (story) =>
      `INSERT INTO recharge_days VALUES (${story.empty}, '2026-01-01', 10000)`,
  },
  'each recharge has told each of its states once, in their order': {
    'one was never told': (story) =>
      `DELETE FROM events WHERE subject_id = '${story.pending}' AND type = 'wallet.recharge.pending'`,
    'an expiry was never told': (story) =>
      `DELETE FROM events WHERE subject_id = '${story.expired}' AND type = 'wallet.recharge.expired'`,
    'a completion was told twice': (story) =>
      copyOfEvent(`'${story.completed}'`, 'wallet.recharge.completed'),
    'a state that it is not in was told': (story) =>
      `UPDATE events SET type = 'wallet.recharge.completed'
        WHERE subject_id = '${story.expired}' AND type = 'wallet.recharge.expired'`,
    'the first state was told last': (story) => renumberedEvents(`'${story.late}'`),
    'an unknown recharge was told': (story) => `
      ${copyOfEvent(`'${story.expired}'`, 'wallet.recharge.expired')};
      UPDATE events SET subject_id = 'rch_unknown' WHERE id = 'evt_copy'`,
    'an unknown recharge was told of as one is that was just made': (story) => `
      ${copyOfEvent(`'${story.expired}'`, 'wallet.recharge.pending')};
      UPDATE events SET subject_id = 'rch_unknown' WHERE id = 'evt_copy'`,
    'it was told to another wallet': (story) =>
      `UPDATE events SET wallet_id = ${story.empty}, sequence = 1000
        WHERE subject_id = '${story.pending}' AND type = 'wallet.recharge.pending'`,
  },
  'each payment that was credited has completed its recharge, with its amount': {
    'its recharge is not completed': ({ pending }) => paymentOf(`'${pending}'`, '20000'),
    'its recharge is unknown': () => paymentOf("'rch_unknown'", '20000'),
    'a centavo more was paid': ({ completed }) => paymentOf(`'${completed}'`, '15001'),
    'a centavo less was paid': ({ completed }) => paymentOf(`'${completed}'`, '14999'),
    'another provider tells of it': ({ completed }) =>
      `${paymentOf(`'${completed}'`, '15000')}; UPDATE payment_notices SET provider = 'other' WHERE id = 'pay_1'`,
    'an operator credited it to nothing': ({ expired }) => `
      ${paymentOf(`'${expired}'`, 'NULL')}; ${settledAs('credited', 'pay_1')}`,
  },
  'each recharge is credited by one payment at most, and by none that the bank took back': {
    'another payment was passed over': ({ completed }) => `
      ${paymentOf(`'${completed}'`, '15000')}; ${paymentOf(`'${completed}'`, '15000', 'pay_2')}`,
    'an operator let another pass': ({ completed }) => `
      ${paymentOf(`'${completed}'`, '15000')}; ${paymentOf(`'${completed}'`, '15000', 'pay_2')};
      ${settledAs('credited', 'pay_2')}`,
    'that the bank took it back was passed over': ({ completed }) => `
      ${paymentOf(`'${completed}'`, '15000')}; UPDATE payment_notices SET outcome = 'returned' WHERE id = 'pay_1'`,
  },
  'recharges belong to the team and mode of their wallet': {
    'another mode': (story) => `UPDATE recharges SET mode = 'test' WHERE id = '${story.expired}'`,
    'another team': (story) => `UPDATE recharges SET team_id = 'team_other' WHERE id = '${story.expired}'`,
    'no such wallet': (story) => `UPDATE recharges SET wallet_id = 999999 WHERE id = '${story.expired}'`,
  },
  ...returnCorruptions,
  ...bookingCorruptions,
  'events are numbered 1 to n in each wallet': {
    'an event is gone': (story) => `DELETE FROM events WHERE wallet_id = ${story.live} AND sequence = 2`,
    'the numbers begin with none': (story) =>
      `${withoutConstraint('events', 'events_sequence_check')}
       UPDATE events SET sequence = 0 WHERE wallet_id = ${story.live} AND sequence = 1`,
  },
  'each wallet has counted its events': {
    'one too many': (story) => `UPDATE wallets SET event_count = event_count + 1 WHERE id = ${story.empty}`,
    'one too few': (story) => `UPDATE wallets SET event_count = event_count - 1 WHERE id = ${story.live}`,
    'all are gone': (story) => `DELETE FROM events WHERE wallet_id = ${story.empty}`,
    'the last event is gone': (story) =>
      `DELETE FROM events WHERE wallet_id = ${story.live}
          AND sequence = (SELECT event_count FROM wallets WHERE id = ${story.live})`,
  },
  'each entry is told by one event, with its amount and balance': {
    'it was never told': (story) => `DELETE FROM events WHERE subject_id = ${entryId(story, 5)}`,
    'it was told twice': (story) => copyOfEvent(entryId(story, 4), 'wallet.debit'),
    'it was told to another wallet': (story) =>
      `UPDATE events SET wallet_id = ${story.empty}, sequence = 1000 WHERE subject_id = ${entryId(story, 5)}`,
    'it was told with another amount': (story) =>
      `UPDATE wallet_entries SET amount_cents = amount_cents + 1 WHERE ${entry(story, 4)}`,
    'it was told with another balance': (story) =>
      `UPDATE wallet_entries SET balance_after_cents = balance_after_cents + 1 WHERE ${entry(story, 4)}`,
    'a debit was told as a credit': (story) =>
      `UPDATE events SET type = 'wallet.credit' WHERE subject_id = ${entryId(story, 4)}`,
    'what is no entry was told': (story) =>
      `UPDATE events SET type = 'wallet.credit' WHERE subject_id = '${story.pending}'`,
  },
  'events belong to the team and mode of their wallet': {
    'another mode': (story) =>
      `UPDATE events SET mode = 'live' WHERE wallet_id = ${story.test} AND sequence = 1`,
    'another team': (story) =>
      `UPDATE events SET team_id = 'team_other' WHERE wallet_id = ${story.live} AND sequence = 3`,
    'no such wallet': (story) =>
      `UPDATE events SET wallet_id = 999999 WHERE wallet_id = ${story.live} AND sequence = 3`,
  },
};
