import type { BookingRow } from '../../src/domain/bookings/booking.ts';
import type { WrittenBooking } from '../bookings/writtenBookings.ts';
import { walletsOf, writeBooking } from '../bookings/writtenBookings.ts';
import type { Stage } from './door.ts';

/** Books with the money of a team's wallet, which must suffice. */
export async function book(
  { server }: Stage,
  teamId: string,
  mode: 'live' | 'test',
  booking: WrittenBooking,
): Promise<BookingRow> {
  const written = await writeBooking(server, (await walletsOf(server, teamId))[mode], booking);
  if (!written) throw new Error('nothing booked');
  return written;
}
