import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundedTeam, walletsOf, writeBooking } from '../bookings/writtenBookings.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { bookingRefusals } from './ledgerBookingRefusals.ts';
import { bookingStateRefusals } from './ledgerBookingStateRefusals.ts';
import type { Caller } from './ledgerDoors.ts';
import { LedgerDoors } from './ledgerDoors.ts';
import { entryRefusals, newEntry, walletRefusals } from './ledgerEntryRefusals.ts';
import { eventRefusals } from './ledgerEventRefusals.ts';
import { keptRefusals } from './ledgerKeptRefusals.ts';
import { missingRefusals } from './ledgerMissingRefusals.ts';
import { noticeRefusals } from './ledgerNoticeRefusals.ts';
import { rechargeRefusals } from './ledgerRechargeRefusals.ts';
import type { RefusalsOf, Wallets } from './ledgerRefusals.ts';
import { returnRefusals } from './ledgerReturnRefusals.ts';
import { webhookRefusals } from './ledgerWebhookRefusals.ts';

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

/** What the database itself refuses, whoever asks: SQL, and the constraint or words of the refusal. */
const refusals: Record<string, RefusalsOf<Wallets>> = {
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
  'a wallet cannot be wrong': walletRefusals,
  'an entry cannot be wrong': entryRefusals,
  'a day of the ledger cannot be wrong': {
    'no wallet': () => [
      `INSERT INTO wallet_days (wallet_id, day, credit_count, debit_count, credit_cents, debit_cents)
         VALUES (999999, now(), 0, 0, 0, 0)`,
      /wallet_days_wallet_id_fkey/,
    ],
  },
  'an event cannot be wrong': eventRefusals,
  'a webhook cannot be wrong': webhookRefusals,
  'a recharge cannot be wrong': rechargeRefusals,
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
    'of another one’s id': () => [
      'UPDATE api_keys SET id = (SELECT id FROM api_keys LIMIT 1)',
      /api_keys_pkey/,
    ],
  },
  'a booking cannot be in a state that its money does not fit': bookingStateRefusals,
  'a booking cannot be wrong': bookingRefusals,
  'what else is kept cannot be wrong': keptRefusals,
  'a row of money leaves nothing out': missingRefusals,
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
    const { live } = await fundedTeam(server);
    await writeBooking(server, live, { type: 'hold', amountCents: 10_00 });
    const balance = () =>
      server.query('SELECT balance_cents::text, held_cents::text FROM wallets WHERE id = $1', [live]);
    const before = await contents();
    expect(await writeBooking(server, live, { amountCents: 990_01 })).toBeNull();
    expect(await writeBooking(server, live, { type: 'hold', amountCents: 990_01 })).toBeNull();
    expect(await contents()).toEqual(before);
    expect(await writeBooking(server, live, { amountCents: 990_00 })).not.toBeNull();
    expect(await balance()).toEqual([{ balance_cents: '1000', held_cents: '1000' }]);
  });
});
