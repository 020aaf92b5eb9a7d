import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walletsOf, writeBooking } from '../bookings/writtenBookings.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { bookingRefusals } from './ledgerBookingRefusals.ts';
import type { Caller } from './ledgerDoors.ts';
import { LedgerDoors } from './ledgerDoors.ts';
import { eventRefusals } from './ledgerEventRefusals.ts';
import { noticeRefusals } from './ledgerNoticeRefusals.ts';
import { returnRefusals } from './ledgerReturnRefusals.ts';
import { webhookRefusals } from './ledgerWebhookRefusals.ts';

/**
 * A live wallet with 150.00 (one credit) of which a held booking reserves 10.00, a test wallet with the same credit, the
 * recharges behind them, and a booking paid by another team.
 */
interface Wallets {
  live: number;
  test: number;
  recharge: string;
  pending: string;
  held: string;
  paid: string;
}

const entryColumns = `wallet_id, sequence, type, type_sequence, id, amount_cents, balance_after_cents, description,
                      reference_type, reference_id, created_at`;

const newEntry = (
  changes: Partial<
    Record<'wallet' | 'sequence' | 'type' | 'number' | 'id' | 'cents' | 'after' | 'about', unknown>
  >,
) => {
  const entry = {
    wallet: 1,
    sequence: 90,
    type: 'credit',
    number: 90,
    id: 'txn_new',
    cents: 1,
    after: 1,
    about: 'refund',
    ...changes,
  };
  return `INSERT INTO wallet_entries (${entryColumns}) VALUES (${entry.wallet}, ${entry.sequence}, '${entry.type}',
    ${entry.number}, '${entry.id}', ${entry.cents}, ${entry.after}, 'Forged', '${entry.about}', 'ord_x', now())`;
};

const newRecharge = (changes: Record<string, string>) => {
  const values = {
    id: "'rch_new'",
    mode: "'live'",
    amount_cents: '10000',
    payment_method: "'pix'",
    status: "'pending'",
    transaction_id: 'NULL',
    paid_at: 'NULL',
    ...changes,
  };
  return `INSERT INTO recharges (wallet_id, team_id, provider, charge, created_at, expires_at, ${Object.keys(values)})
    SELECT id, team_id, 'simulated', '{}', now(), now(), ${Object.values(values)} FROM wallets LIMIT 1`;
};

const newKey = (kind: string, team: string) =>
  `INSERT INTO api_keys (id, team_id, kind, name, hash, last_four, scopes, created_at)
    SELECT 'key_new', ${team}, '${kind}', 'New', 'hash', 'hash', '{}', now() FROM wallets LIMIT 1`;

const newWallet = `
  INSERT INTO teams (id, name, markup_percent, fee_cents, created_at, updated_at)
    VALUES ('team_new', 'New', 0, 0, now(), now());
  INSERT INTO wallets (team_id, mode, balance_cents, created_at) VALUES ('team_new', 'live', 0, now())`;

const newEvent = `
  INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
    SELECT id, 1, 'evt_new', team_id, mode, 'wallet.low_balance', team_id, '{}', now() FROM wallets
     WHERE team_id = 'team_new'`;

const setBooking = (id: string, sets: string) => `UPDATE bookings SET ${sets} WHERE id = '${id}'`;

/** What the database itself refuses, whoever asks: SQL, and the constraint or words of the refusal. */
const refusals: Record<string, Record<string, (wallets: Wallets) => [sql: string, refusal: RegExp]>> = {
  'the ledger is append-only': {
    'changing an entry': ({ live }) => [
      `UPDATE wallet_entries SET description = 'Other' WHERE wallet_id = ${live}`,
      /wallet_entries is append-only: UPDATE refused/,
    ],
    'deleting an entry': ({ live }) => [
      `DELETE FROM wallet_entries WHERE wallet_id = ${live}`,
      /wallet_entries is append-only: DELETE refused/,
    ],
    'replacing an entry': ({ live }) => [
      `${newEntry({ wallet: live, sequence: 1 })}
         ON CONFLICT (wallet_id, sequence) DO UPDATE SET amount_cents = 1`,
      /append-only: UPDATE refused/,
    ],
    'emptying the ledger': () => ['TRUNCATE wallet_entries', /append-only: TRUNCATE refused/],
    'emptying what it hangs on': () => ['TRUNCATE teams CASCADE', /append-only: TRUNCATE refused/],
    'deleting a wallet with entries': ({ live }) => [
      `DELETE FROM wallets WHERE id = ${live}`,
      /violates (RESTRICT setting of )?foreign key constraint/,
    ],
    'deleting a wallet that only events belong to': () => [
      `${newWallet}; ${newEvent}; DELETE FROM wallets WHERE team_id = 'team_new'`,
      /wallets stay as long as what belongs to them: DELETE refused/,
    ],
    'giving a wallet that only events belong to another number': () => [
      `${newWallet}; ${newEvent}; UPDATE wallets SET id = DEFAULT WHERE team_id = 'team_new'`,
      /wallets stay as long as what belongs to them: UPDATE refused/,
    ],
    'changing an event': ({ live }) => [
      `UPDATE events SET type = 'wallet.debit' WHERE wallet_id = ${live}`,
      /events is append-only: UPDATE refused/,
    ],
    'deleting an event': ({ live }) => [
      `DELETE FROM events WHERE wallet_id = ${live}`,
      /events is append-only: DELETE refused/,
    ],
    'emptying the events': () => ['TRUNCATE events', /events is append-only: TRUNCATE refused/],
  },
  'a wallet cannot be wrong': {
    'a negative balance': ({ live }) => [
      `UPDATE wallets SET balance_cents = -1, debit_cents = credit_cents + 1 WHERE id = ${live}`,
      /wallet_balance_not_negative|wallet_holds_covered/,
    ],
    'a balance that its totals do not give': ({ live }) => [
      `UPDATE wallets SET balance_cents = balance_cents + 1 WHERE id = ${live}`,
      /wallet_balance_matches_totals/,
    ],
    'a test balance other than 5000.00': ({ test }) => [
      `UPDATE wallets SET balance_cents = 499999 WHERE id = ${test}`,
      /wallet_balance_matches_totals/,
    ],
    'holding more than there is': ({ live }) => [
      `UPDATE wallets SET held_cents = balance_cents + 1 WHERE id = ${live}`,
      /wallet_holds_covered/,
    ],
    'holding less than nothing': ({ live }) => [
      `UPDATE wallets SET held_cents = -1 WHERE id = ${live}`,
      /wallet_holds_covered/,
    ],
    'a second wallet of the same team and mode': ({ live }) => [
      `INSERT INTO wallets (team_id, mode, balance_cents, created_at)
         SELECT team_id, mode, 0, now() FROM wallets WHERE id = ${live}`,
      /wallets_team_id_mode_key|duplicate key/,
    ],
    'another mode': ({ live }) => [
      `UPDATE wallets SET mode = 'sandbox' WHERE id = ${live}`,
      /wallets_mode_check|wallet_balance_matches_totals/,
    ],
  },
  'an entry cannot be wrong': {
    'a number that is taken': ({ live }) => [newEntry({ wallet: live, sequence: 1 }), /wallet_entries_pkey/],
    'a number of its type that is taken': ({ live }) => [
      newEntry({ wallet: live, number: 1 }),
      /wallet_entries_by_type/,
    ],
    'an id that is taken': ({ live }) => [
      `${newEntry({ wallet: live, id: 'txn_twice' })}; ${newEntry({ wallet: live, id: 'txn_twice', sequence: 91, number: 91 })}`,
      /wallet_entries_id_key/,
    ],
    'no wallet': () => [newEntry({ wallet: 999_999 }), /foreign key constraint/],
    'an amount of nothing': ({ live }) => [newEntry({ wallet: live, cents: 0 }), /amount_cents_check/],
    'a negative amount': ({ live }) => [newEntry({ wallet: live, cents: -1 }), /amount_cents_check/],
    'a negative balance after it': ({ live }) => [
      newEntry({ wallet: live, after: -1 }),
      /balance_after_cents_check/,
    ],
    'neither credit nor debit': ({ live }) => [
      newEntry({ wallet: live, type: 'gift' }),
      /wallet_entries_type_check/,
    ],
    'about something else': ({ live }) => [newEntry({ wallet: live, about: 'gift' }), /reference_type_check/],
    'a number before the first': ({ live }) => [
      newEntry({ wallet: live, sequence: 0 }),
      /wallet_entries_sequence_check/,
    ],
    'a number of its type before the first': ({ live }) => [
      newEntry({ wallet: live, number: 0 }),
      /type_sequence_check/,
    ],
  },
  'a day of the ledger cannot be wrong': {
    'no wallet': () => [
      `INSERT INTO wallet_days (wallet_id, day, credit_count, debit_count, credit_cents, debit_cents)
         VALUES (999999, now(), 0, 0, 0, 0)`,
      /wallet_days_wallet_id_fkey/,
    ],
  },
  'an event cannot be wrong': eventRefusals,
  'a webhook cannot be wrong': webhookRefusals,
  'a recharge cannot be wrong': {
    'no wallet': ({ pending }) => [
      `UPDATE recharges SET wallet_id = 999999 WHERE id = '${pending}'`,
      /recharges_wallet_id_fkey/,
    ],
    'a day of no wallet': ({ live }) => [
      `UPDATE recharge_days SET wallet_id = 999999 WHERE wallet_id = ${live}`,
      /recharge_days_wallet_id_fkey/,
    ],
    'completed without a payment': ({ pending }) => [
      `UPDATE recharges SET status = 'completed' WHERE id = '${pending}'`,
      /recharges_check/,
    ],
    'paid without being completed': ({ pending }) => [
      `UPDATE recharges SET paid_at = now() WHERE id = '${pending}'`,
      /"recharges_check"/,
    ],
    'completed without a credit': ({ pending }) => [
      `UPDATE recharges SET status = 'completed', paid_at = now() WHERE id = '${pending}'`,
      /"recharges_check1"/,
    ],
    'completed by a credit that is taken': ({ recharge, pending }) => [
      `UPDATE recharges SET status = 'completed', paid_at = now(),
              transaction_id = (SELECT transaction_id FROM recharges WHERE id = '${recharge}')
        WHERE id = '${pending}'`,
      /recharges_transaction_id_key/,
    ],
    'less than 100.00': () => [newRecharge({ amount_cents: '9999' }), /recharges_amount_cents_check/],
    'more than 50000.00': () => [newRecharge({ amount_cents: '5000001' }), /recharges_amount_cents_check/],
    'another payment method': () => [
      newRecharge({ payment_method: "'card'" }),
      /recharges_payment_method_check/,
    ],
    'another status': () => [newRecharge({ status: "'paid'" }), /recharges_status_check/],
    'another mode': () => [newRecharge({ mode: "'sandbox'" }), /recharges_mode_check/],
    'a day with less than nothing': ({ live }) => [
      `UPDATE recharge_days SET requested_cents = -1 WHERE wallet_id = ${live}`,
      /recharge_days_requested_cents_check/,
    ],
  },
  'a debit of what the bank took back cannot be wrong': returnRefusals,
  'what a provider told cannot be wrong': noticeRefusals,
  'a team cannot be wrong': {
    'a fee below nothing': () => ['UPDATE teams SET fee_cents = -1', /teams_fee_cents_check/],
    'a markup below nothing': () => ['UPDATE teams SET markup_percent = -1', /teams_markup_percent_check/],
    'none to a wallet': ({ live }) => [
      `UPDATE wallets SET team_id = 'team_none' WHERE id = ${live}`,
      /wallets_team_id_fkey/,
    ],
  },
  'a key cannot be wrong': {
    'an operator’s of a team': () => [newKey('operator', 'team_id'), /api_keys_check/],
    'an agency’s of no team': () => [newKey('live', 'NULL'), /api_keys_check/],
    'an agency’s of an unknown team': () => [newKey('live', "'team_none'"), /api_keys_team_id_fkey/],
    'of another kind': () => [newKey('root', 'team_id'), /api_keys_kind_check/],
    'another one’s': () => [
      'UPDATE api_keys SET hash = (SELECT hash FROM api_keys LIMIT 1)',
      /api_keys_hash_key/,
    ],
  },
  'a booking cannot be in a state that its money does not fit': bookingRefusals,
  'a booking cannot be wrong': {
    'an amount of nothing': ({ held }) => [setBooking(held, 'amount_cents = 0'), /amount_cents_check/],
    'another status': ({ held }) => [
      setBooking(held, `status = 'paid'`),
      /bookings_status_check|bookings_check/,
    ],
    'a hold without a deadline': ({ held }) => [
      setBooking(held, 'payment_required_by = NULL'),
      /bookings_check1/,
    ],
    'an instant booking that is held': ({ paid }) => [
      setBooking(paid, `status = 'pending'`),
      /bookings_check3/,
    ],
    'a debit without a payment': ({ paid }) => [setBooking(paid, 'confirmed_at = NULL'), /bookings_check2/],
    'confirmed without a debit': ({ held }) => [setBooking(held, `status = 'confirmed'`), /bookings_check3/],
    'a refund above the price': ({ paid }) => [
      setBooking(
        paid,
        `status = 'cancelled', ended_at = now(), refund_id = 'txn_x', refund_cents = amount_cents + 1`,
      ),
      /bookings_check\b/,
    ],
    'a refund of less than nothing': ({ paid }) => [
      setBooking(paid, `status = 'cancelled', ended_at = now(), refund_cents = -1`),
      /bookings_check\b/,
    ],
    'a refund while it is paid for': ({ paid }) => [
      setBooking(paid, `refund_id = 'txn_x', refund_cents = 1`),
      /bookings_check5/,
    ],
    'a refund of nothing with an entry': ({ paid }) => [
      setBooking(paid, `status = 'cancelled', ended_at = now(), refund_id = 'txn_x', refund_cents = 0`),
      /bookings_check6/,
    ],
    'a rest of what was not given back in full': ({ paid }) => [
      setBooking(
        paid,
        `status = 'cancelled', ended_at = now(), refund_id = 'txn_x', refund_cents = 1, rest_refund_id = 'txn_y'`,
      ),
      /bookings_rest_refund_check/,
    ],
    'an end without a time': ({ held }) => [setBooking(held, `status = 'expired'`), /bookings_check4/],
    'a debit that is another booking’s': ({ held, paid }) => [
      `UPDATE bookings SET status = 'confirmed', confirmed_at = now(),
              debit_id = (SELECT debit_id FROM bookings WHERE id = '${paid}') WHERE id = '${held}'`,
      /bookings_debit_id_key/,
    ],
    'a refund that is another booking’s': ({ held, paid }) => [
      `UPDATE bookings SET status = 'cancelled', debit_id = id, confirmed_at = now(), ended_at = now(),
              refund_cents = amount_cents, refund_id = 'txn_x' WHERE id IN ('${held}', '${paid}')`,
      /bookings_refund_id_key/,
    ],
    'the rest of a refund that is another booking’s': ({ held, paid }) => [
      `UPDATE bookings SET status = 'cancelled', debit_id = id, confirmed_at = now(), ended_at = now(),
              refund_cents = amount_cents, refund_id = id, rest_refund_id = 'txn_x' WHERE id IN ('${held}', '${paid}')`,
      /bookings_rest_refund_id_key/,
    ],
    'another type': ({ paid }) => [setBooking(paid, `type = 'gift'`), /bookings_type_check/],
    'another mode': ({ paid }) => [setBooking(paid, `mode = 'sandbox'`), /bookings_mode_check/],
    'a locator that is taken': ({ held, paid }) => [
      setBooking(held, `booking_reference = (SELECT booking_reference FROM bookings WHERE id = '${paid}')`),
      /bookings_booking_reference_key/,
    ],
    'an unknown errand to the supplier': ({ held }) => [
      setBooking(held, `order_task = 'refund', order_due_at = now()`),
      /bookings_order_task_check/,
    ],
    'an errand at no time': ({ held }) => [
      setBooking(held, `order_task = 'cancel', order_due_at = NULL`),
      /bookings_check7/,
    ],
  },
};

describeEngines('what the database refuses', (engine) => {
  let server: TestServer;
  let wallets: Wallets;

  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    const doors = new LedgerDoors(server);
    const team = await server.createTeam();
    const recharged = async (caller: Caller, paid: boolean) => {
      const { value } = await doors.create('rest', caller, '150.00', 'pix', `${caller.mode} ${paid}`);
      if (paid) await doors.pay('rest', caller, value.id, null);
      return value.id as string;
    };
    const recharge = await recharged({ mode: 'live', key: team.live }, true);
    const pending = await recharged({ mode: 'live', key: team.live }, false);
    await recharged({ mode: 'test', key: team.test }, true);
    const other = await server.createTeam();
    await recharged({ mode: 'live', key: other.live }, true);
    const { live, test } = await walletsOf(server, team.teamId);
    const book = async (wallet: number, type: 'instant' | 'hold') =>
      (await writeBooking(server, wallet, { type, amountCents: 10_00 }))?.id ?? '';
    const paid = await book((await walletsOf(server, other.teamId)).live, 'instant');
    wallets = { live, test, recharge, pending, held: await book(live, 'hold'), paid };
  });
  afterAll(() => server?.close());

  const contents = async () =>
    Promise.all(
      ['wallets', 'wallet_entries', 'wallet_days', 'events', 'recharges', 'recharge_days', 'bookings'].map(
        async (table) => [table, await server.query(`SELECT t::text FROM ${table} t ORDER BY 1`)],
      ),
    );

  for (const [rule, ways] of Object.entries(refusals)) {
    describe(rule, () => {
      for (const [way, refusal] of Object.entries(ways)) {
        it(way, async () => {
          const before = await contents();
          const [sql, words] = refusal(wallets);
          const { sequelize } = server.running.gateway.platform;
          const refused = await sequelize.query(sql).then(
            () => null,
            (error) => error.original.message as string,
          );
          expect(refused).toMatch(words);
          expect(await contents()).toEqual(before);
        });
      }
    });
  }

  it('a booking above what is available, and all that would come with it', async () => {
    const balance = () =>
      server.query('SELECT balance_cents::text, held_cents::text FROM wallets WHERE id = $1', [wallets.live]);
    const before = await contents();
    expect(await writeBooking(server, wallets.live, { amountCents: 140_01 })).toBeNull();
    expect(await writeBooking(server, wallets.live, { type: 'hold', amountCents: 140_01 })).toBeNull();
    expect(await contents()).toEqual(before);
    expect(await writeBooking(server, wallets.live, { amountCents: 140_00 })).not.toBeNull();
    expect(await balance()).toEqual([{ balance_cents: '1000', held_cents: '1000' }]);
  });
});
