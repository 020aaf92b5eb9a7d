import type { Sequelize } from 'sequelize';
import { isInDoubt, noConnectionCame } from '../../infrastructure/database/database.ts';
import { type GroupedWrites, groupedWrites } from '../../infrastructure/database/groupedWrites.ts';
import { poolOf } from '../../infrastructure/database/sharedConnections.ts';
import { isRepeated } from '../../infrastructure/database/sqlState.ts';
import { isInTransaction } from '../../infrastructure/database/transaction.ts';
import { keptOfObject } from '../../infrastructure/keptEntry.ts';
import type { IdempotencyRow } from '../idempotency/keySql.ts';
import { isKeyTaken, PreparedInVain } from '../idempotency/once.ts';
import type { Platform } from '../platform.ts';
import { insufficientBalance } from '../wallet/refusals.ts';
import { inTurnOfWallet } from '../wallet/turns.ts';
import type { BookingRow } from './booking.ts';
import { createBooking } from './creationSql.ts';
import { createBookings, type Posting, valuesOfGroup } from './groupSql.ts';
import { announceOrders } from './orderTask.ts';
import { SlowWallets } from './slowWallets.ts';

/**
 * Writes a new booking: its row, the debit or the reserve, the ledger's entry, the events and their deliveries and the
 * Idempotency-Key, in one statement; instant bookings that wait at the same moment share one.
 * @throws AppError 422 INSUFFICIENT_BALANCE "Insufficient balance"; PreparedInVain when another booking has its reference.
 *   Nothing is written then.
 */
export async function postBooking(
  booking: BookingRow,
  key: IdempotencyRow | null,
  platform: Platform,
): Promise<void> {
  const posting = { booking, key };
  const write =
    booking.type === 'hold' || isInTransaction()
      ? postAlone(posting, platform)
      : groupsOf(platform).write(posting);
  const isWritten = await write.catch((error) => {
    // Which of two indexes tells of a booking that is there already is by their age: its key has its answer.
    if (key && isRepeated(error, 'bookings_pkey'))
      throw new PreparedInVain('the booking was written before', { cause: error });
    if (!isRepeated(error, 'bookings_booking_reference_key')) throw error;
    throw new PreparedInVain('the booking reference was drawn twice', { cause: error });
  });
  if (!isWritten) throw insufficientBalance(booking.amount_cents);
  announceOrders(platform);
}

/** Writes one booking in a statement of its own, and announces no order. @returns whether the money sufficed. */
export async function postAlone({ booking, key }: Posting, platform: Platform): Promise<boolean> {
  const { statement, valuesOf } = createBooking[booking.type];
  const { wallet_id: walletId } = booking;
  const slow = SlowWallets.of(platform.sequelize);
  return inTurnOfWallet(walletId, platform, async () => {
    const startedMs = performance.now();
    const rows = await statement.run(valuesOf(booking, key), platform, () => walletId);
    if (rows.length > 0) slow.note(walletId, performance.now() - startedMs);
    return rows.length > 0;
  });
}

/**
 * A key that comes twice would undo the group: the second is left out, and finds it taken when it is written alone.
 * @returns for each whether it was written; null for one that was left out, or that the group's money does not cover.
 */
async function postTogether(postings: Posting[], platform: Platform): Promise<(true | null)[]> {
  const taken = new Map<string, number>();
  for (const [index, posting] of postings.entries()) {
    const name = nameOf(posting);
    if (!taken.has(name)) taken.set(name, index);
  }
  const indexes = [...taken.values()];
  const group = indexes.map((index) => postings[index] as Posting);
  const walletOf = ({ n }: { n: number }) => (group[n - 1] as Posting).booking.wallet_id;
  const rows = await createBookings.run(valuesOfGroup(group), platform, walletOf);
  const results = new Array<true | null>(postings.length).fill(null);
  for (const { n } of rows) results[indexes[n - 1] as number] = true;
  return results;
}

/** What no two members of a group may have in common. */
const nameOf = ({ booking, key }: Posting): string => (key ? `${key.scope} ${key.key}` : booking.id);

/** A group's locks are held for as long as its statement runs, so it must stay short. */
const mostInGroup = 32;

const groups = new WeakMap<Sequelize, GroupedWrites<Posting, boolean>>();

function groupsOf(platform: Platform): GroupedWrites<Posting, boolean> {
  const { sequelize, log } = platform;
  const slow = SlowWallets.of(sequelize);
  return keptOfObject(groups, sequelize, () =>
    groupedWrites<Posting, boolean>(
      (posting) => postAlone(posting, platform),
      (postings) => postTogether(postings, platform),
      {
        most: mostInGroup,
        onGroupFailure: (error) => {
          // Nothing is wrong when another process has taken a key in the meantime.
          const level = isKeyTaken(error) ? 'debug' : 'warn';
          log[level]({ err: error }, 'bookings not written together');
        },
        // Where the group may have been committed, only the key tells that a booking is there. Who has waited for a connection
        // as long as anyone should waits for no other.
        mayGoAlone: ({ key }, error) => !noConnectionCame(error) && (key !== null || !isInDoubt(error)),
        onLate: (postings) => {
          // What waits for a connection says nothing of its wallets.
          if (poolOf(sequelize).waiting > 0) return;
          for (const { booking } of postings) slow.add(booking.wallet_id);
        },
        goesAlone: ({ booking }) => slow.has(booking.wallet_id),
      },
    ),
  );
}
