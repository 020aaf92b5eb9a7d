import type { BookingRow } from '../../src/domain/bookings/booking.ts';
import type { DetailsOf } from '../../src/domain/bookings/change.ts';
import { applyTransition } from '../../src/domain/bookings/change.ts';
import { expireOverdueBookings } from '../../src/domain/bookings/expiry.ts';
import { refundRest } from '../../src/domain/bookings/restRefund.ts';
import type { ChangeName } from '../../src/domain/bookings/transitions.ts';
import { walletsOf, writeBooking } from '../bookings/writtenBookings.ts';
import type { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import type { LedgerDoors } from './ledgerDoors.ts';

/** A live wallet whose bookings came to each of their ends, and their ids. */
export interface BookingStory {
  readonly wallet: number;
  /** Of the same team: one booking is held there. */
  readonly testWallet: number;
  /** A live wallet in which nothing ever happened. */
  readonly empty: number;
  readonly held: string;
  readonly paid: string;
  readonly ticketed: string;
  /** Cancelled for a part of the price. */
  readonly refunded: string;
  /** Cancelled for nothing. */
  readonly kept: string;
  /** Cancelled for a part of the price, the rest of which was given back later. */
  readonly restored: string;
  /** Not ticketed, refunded in full. */
  readonly failed: string;
  /** A hold, cancelled. */
  readonly withdrawn: string;
  /** A hold that nobody confirmed. */
  readonly expired: string;
}

/** Lets all of it happen, by the product's own statements. */
export async function tellBookingStory(
  server: TestServer,
  clock: ManualClock,
  doors: LedgerDoors,
  empty: number,
): Promise<BookingStory> {
  const { platform } = server.running.gateway;
  const team = await server.createTeam();
  const { live: wallet, test: testWallet } = await walletsOf(server, team.teamId);
  const caller = { mode: 'live' as const, key: team.live };
  const { value } = await doors.create('rest', caller, '2000.00', 'pix', 'booking story');
  await doors.pay('rest', caller, value.id, null);
  const book = async (type: BookingRow['type'], of = wallet) => {
    const booking = await writeBooking(server, of, { type, amountCents: 100_00 });
    if (!booking) throw new Error('nothing booked');
    return booking.id;
  };
  const change = async <Name extends ChangeName>(name: Name, id: string, details: DetailsOf<Name>) => {
    if (!(await applyTransition(name, { id, walletId: wallet }, details, platform))) throw new Error(name);
    return id;
  };
  const expired = await book('hold');
  clock.advance(2 * 3_600_000);
  await expireOverdueBookings(platform);
  const story = {
    wallet,
    testWallet,
    empty,
    expired,
    held: await book('hold'),
    paid: await change('confirm', await book('hold'), {}),
    ticketed: await change('ticket', await book('instant'), { documents: [] }),
    refunded: await change('cancel', await book('instant'), { refundCents: 70_00n }),
    kept: await change('cancel', await book('instant'), { refundCents: 0n }),
    restored: await change('cancel', await book('instant'), { refundCents: 70_00n }),
    failed: await change('rejectIssue', await book('instant'), {}),
    withdrawn: await change('withdraw', await book('hold'), {}),
  };
  if (!(await refundRest({ id: story.restored, walletId: wallet }, platform))) throw new Error('no rest');
  await change('rejectHold', await book('hold'), {});
  await change('cancel', await change('ticket', await book('instant'), { documents: [] }), {
    refundCents: 0n,
  });
  await book('hold');
  await book('hold', testWallet);
  return story;
}
