import { run } from '../../infrastructure/database/statement.ts';
import { newIdentifier } from '../../infrastructure/identifier.ts';
import { announceEvents } from '../events/recording.ts';
import type { Platform } from '../platform.ts';
import type { BookingRow } from './booking.ts';
import { changeBooking, newEventIds } from './bookingSql.ts';
import { announceOrders } from './orderTask.ts';
import type { TransitionName } from './transitions.ts';
import { transitions } from './transitions.ts';

export interface ChangeDetails {
  /** Lease of the worker whose asking led to the change; without it the change is a client's or a deadline's. */
  readonly token?: string;
  /** What a transition that refunds gives back, in centavos; 0n where it is nothing. */
  readonly refundCents?: bigint;
  readonly documents?: BookingRow['documents'];
  /** The carrier's locator; without it the one that is known stays. */
  readonly carrierReference?: string | null;
}

/**
 * Changes a booking's state by a transition of the table.
 * @returns the booking afterwards, or null, and nothing changed, when its state or the time does not allow it.
 */
export async function applyTransition(
  name: Exclude<TransitionName, 'book' | 'hold'>,
  booking: { id: string; walletId: number },
  { token, refundCents, documents, carrierReference }: ChangeDetails,
  platform: Platform,
): Promise<BookingRow | null> {
  const { refunding, plain } = changeBooking[name];
  const { money, task } = transitions[name];
  const refund = money === 'refund' ? refundCents : 0n;
  if (refund === undefined) throw new Error(`${name} gives money back: say how much`);
  const moves = money === 'settle' || refund > 0n;
  const [changed] = await run(platform.sequelize, moves ? refunding : plain, [
    booking.id,
    booking.walletId,
    platform.clock.now(),
    newEventIds(),
    token ?? null,
    moves ? newIdentifier('txn') : null,
    money === 'refund' ? refund.toString() : null,
    documents ? JSON.stringify(documents) : null,
    carrierReference ?? null,
  ]);
  if (!changed) return null;
  announceEvents(booking.walletId, platform);
  if (task) announceOrders(platform);
  return changed;
}
