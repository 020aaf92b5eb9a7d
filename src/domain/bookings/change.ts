import { lockTimeoutMs } from '../../infrastructure/database/session.ts';
import { newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { Platform } from '../platform.ts';
import { inTurnOfWallet } from '../wallet/turns.ts';
import type { BookingRow } from './booking.ts';
import { changeBooking, longestAnswerWaitMs } from './changeSql.ts';
import { announceOrders } from './orderTask.ts';
import { newEventIds } from './transitionSql.ts';
import type { ChangeName, ConditionalRefund } from './transitions.ts';
import { transitions } from './transitions.ts';

export interface ChangeDetails {
  /** Lease of the worker whose asking led to the change; without it the change is a client's or a deadline's. */
  readonly token?: string;
  readonly documents?: BookingRow['documents'];
  /** The carrier's locator; without it the one that is known stays. */
  readonly carrierReference?: string | null;
}

/** What a refund by the offer's conditions gives back, in centavos; 0n where it is nothing. */
type RefundDetails<Name> = Name extends ConditionalRefund
  ? { readonly refundCents: bigint }
  : { readonly refundCents?: never };

export type DetailsOf<Name> = ChangeDetails & RefundDetails<Name>;

/**
 * Changes a booking's state by a transition of the table.
 * @returns the booking afterwards, or null, and nothing changed, when its state or the time does not allow it.
 */
export async function applyTransition<Name extends ChangeName>(
  name: Name,
  booking: { id: string; walletId: number },
  { token, refundCents, documents, carrierReference }: DetailsOf<Name>,
  platform: Platform,
): Promise<BookingRow | null> {
  const { usual, withoutRefund } = changeBooking[name];
  const values = [
    booking.id,
    booking.walletId,
    platform.clock.now(),
    newEventIds(),
    token ?? null,
    newIdentifier('txn'),
    refundCents?.toString() ?? null,
    documents ? JSON.stringify(documents) : null,
    carrierReference ?? null,
  ];
  const change = refundCents === 0n ? withoutRefund : usual;
  const apply = () => change.run(values, platform, () => booking.walletId);
  const longestMs = token === undefined ? lockTimeoutMs : longestAnswerWaitMs;
  // A sweep has one connection for all that it ends.
  const [changed] = await (name === 'expire'
    ? apply()
    : inTurnOfWallet(booking.walletId, platform, apply, longestMs));
  if (!changed) return null;
  if (transitions[name].task) announceOrders(platform);
  return changed;
}
