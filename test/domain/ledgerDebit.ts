import { eventCtes } from '../../src/domain/events/recording.ts';
import { entryCtes, moveAssignments, transactionObjectSql } from '../../src/domain/wallet/entrySql.ts';
import { newIdentifier } from '../../src/infrastructure/identifier.ts';
import type { TestServer } from '../harness/server.ts';
import type { Answer } from './ledgerDoors.ts';

const debit = `
  WITH wallet AS (
    UPDATE wallets SET ${moveAssignments('debit', '$2::bigint', '$3::timestamptz')}, event_count = event_count + 1
     WHERE id = $1 RETURNING wallets.*
  ), cause AS (
    SELECT $4::text AS entry_id, $2::bigint AS amount_cents, 'Booking of a test' AS description,
           'booking' AS reference_type, $5::text AS reference_id, NULL::text AS payment_method
  ), ${entryCtes('debit')}, stream AS (
    SELECT id, team_id, mode, event_count FROM wallet
  ), happening AS (
    SELECT 1 AS ordinal, $6::text AS id, 'wallet.debit' AS type, e.id AS subject_id,
           json_build_object('object', ${transactionObjectSql('e')}) AS data, e.created_at
      FROM entry e
  ), ${eventCtes}
  SELECT id FROM entry`;

/**
 * Debits a wallet with the statement parts that every move is made of.
 * @throws the database's refusal when the balance does not suffice.
 */
export async function debitWallet(server: TestServer, walletId: number, amountCents: bigint): Promise<void> {
  await server.query(debit, [
    walletId,
    amountCents.toString(),
    server.running.gateway.platform.clock.now(),
    newIdentifier('txn'),
    newIdentifier('ord'),
    newIdentifier('evt'),
  ]);
}

/** The same, answered as a door would. */
export async function tryDebit(server: TestServer, walletId: number, amountCents: bigint): Promise<Answer> {
  const answer = { value: {}, refusal: null, text: '', replayed: false };
  return debitWallet(server, walletId, amountCents).then(
    () => answer,
    (error) => {
      if (error.original?.constraint !== 'wallet_balance_not_negative') throw error;
      return {
        ...answer,
        value: null,
        refusal: { code: 'INSUFFICIENT_BALANCE', message: 'Insufficient balance' },
      };
    },
  );
}
