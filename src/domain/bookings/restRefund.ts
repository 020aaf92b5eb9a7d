import { newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { recordingStatement } from '../events/recording.ts';
import type { Platform } from '../platform.ts';
import { entryCtes, moveAssignments, movementSql } from '../wallet/entrySql.ts';
import { entryTextSql } from './transitionSql.ts';

const now = '$3::timestamptz';

/**
 * One statement: what a cancellation kept is given back, and the wallet's event tells of it. The booking stays cancelled,
 * and its order as it is: the supplier has been asked to give it up, or still is. No row comes back when nothing was kept.
 * What was kept is read from the locked row, so it is given back once.
 */
const refundRestStatement = recordingStatement<{ id: string }>(
  'refund_rest_of_booking',
  ({ eventCtes }) => `WITH before AS (
     SELECT id, refund_id, amount_cents - refund_cents AS rest_cents FROM bookings
      WHERE id = $1 AND wallet_id = $2 AND status = 'cancelled' AND refund_cents < amount_cents FOR UPDATE
   ), booking AS (
     UPDATE bookings SET refund_cents = bookings.amount_cents, refund_id = coalesce(before.refund_id, $4),
            rest_refund_id = CASE WHEN before.refund_id IS NOT NULL THEN $4 END, updated_at = ${now}
       FROM before WHERE bookings.id = before.id
     RETURNING bookings.id, bookings.wallet_id, bookings.booking_reference, before.rest_cents
   ), wallet AS (
     UPDATE wallets SET ${moveAssignments('credit', 'b.rest_cents', now)}, event_count = wallets.event_count + 1
       FROM booking b WHERE wallets.id = b.wallet_id
     RETURNING wallets.*
   ), cause AS (
     SELECT $4::text AS entry_id, b.rest_cents AS amount_cents, ${entryTextSql('credit', 'b')}
       FROM booking b
   ), ${entryCtes('credit')}, happening AS (
     ${movementSql('wallet.credit', 1, '$5::text', now)}
   ), ${eventCtes}
   SELECT id FROM booking`,
);

/**
 * Gives back all that the cancellation of a paid booking kept, once.
 * @returns whether it did: not when the booking is not cancelled, was never paid or has nothing left to give back.
 */
export async function refundRest(
  { id, walletId }: { id: string; walletId: number },
  platform: Platform,
): Promise<boolean> {
  const values = [id, walletId, platform.clock.now(), newIdentifier('txn'), newIdentifier('evt')];
  const refunded = await refundRestStatement.run(values, platform, () => walletId);
  return refunded.length > 0;
}
