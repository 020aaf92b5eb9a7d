import { entryCtes, moveAssignments } from '../../src/domain/wallet/entrySql.ts';
import { newIdentifier } from '../../src/infrastructure/identifier.ts';
import type { TestServer } from '../harness/server.ts';

/** Debits a wallet as a booking does, without one: the ledger must list debits whatever they were for. */
export async function debitForBooking(
  { query }: Pick<TestServer, 'query'>,
  wallet: { teamId: string; mode: 'live' | 'test' },
  amountCents: number,
  at: Date,
): Promise<{ transactionId: string; bookingId: string }> {
  const transactionId = newIdentifier('txn');
  const bookingId = newIdentifier('ord');
  const rows = await query(
    `WITH wallet AS (
       UPDATE wallets SET ${moveAssignments('debit', '$3::bigint', '$4::timestamptz')}
        WHERE team_id = $1 AND mode = $2 RETURNING wallets.*
     ), cause AS (
       SELECT $5::text AS entry_id, $3::bigint AS amount_cents, 'Booking K3TQ9P' AS description,
              'booking' AS reference_type, $6::text AS reference_id, NULL::text AS payment_method
     ), ${entryCtes('debit')}
     SELECT id FROM entry`,
    [wallet.teamId, wallet.mode, amountCents, at, transactionId, bookingId],
  );
  if (rows.length !== 1) throw new Error(`nothing debited from ${wallet.teamId}`);
  return { transactionId, bookingId };
}
