import { notFound } from '../../errors.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import type { TicketReceipt } from '../../infrastructure/tickets/receipt.ts';
import { inCamelCase } from '../memberNames.ts';
import type { Platform } from '../platform.ts';
import { type BookingRow, bookingColumns } from './booking.ts';
import { openTravellers } from './sealedTravellers.ts';

type Signing = Pick<Platform, 'vault' | 'publicUrl'>;

const purpose = (id: string) => `e-ticket ${id}`;

/** Path of a booking's e-ticket receipt below PUBLIC_URL. */
export const eticketPath = (id: string) => `/etickets/${id}.pdf`;

/**
 * Where a traveller sees the e-ticket receipt without a key. The receipt shows people's names, and ids of bookings
 * stand in events and logs; so the link carries a signature that only this service can make, in the query string, which
 * no log shows.
 */
export function eticketLink(id: string, { vault, publicUrl }: Signing): string {
  return `${publicUrl}${eticketPath(id)}?signature=${vault.sign(purpose(id))}`;
}

const readTicketed = statement<BookingRow & { team_name: string }>(
  'read_ticketed_booking',
  `SELECT ${bookingColumns('b')}, t.name AS team_name FROM bookings b JOIN teams t ON t.id = b.team_id
    WHERE b.id = $1 AND b.ticketed_at IS NOT NULL`,
);

/**
 * The receipt of a booking that was ticketed, for whoever has its link.
 * @throws AppError 404 "E-ticket not found" for any other link.
 */
export async function readReceipt(id: string, signature: string, platform: Platform): Promise<TicketReceipt> {
  const { vault, sequelize } = platform;
  const [booking] = vault.isSignature(purpose(id), signature) ? await run(sequelize, readTicketed, [id]) : [];
  if (!booking) throw notFound('E-ticket');
  return {
    locator: booking.booking_reference,
    carrierReference: booking.carrier_reference,
    status: booking.status,
    bookedAt: booking.created_at,
    issuedAt: booking.ticketed_at,
    agencyName: booking.team_name,
    testMode: booking.mode === 'test',
    link: eticketLink(id, platform),
    travellers: openTravellers(booking.sealed_travellers, vault),
    tickets: inCamelCase(booking.documents),
    slices: inCamelCase(booking.slices),
    fareBrandName: booking.terms.fareBrandName,
    totalCents: BigInt(booking.amount_cents),
    isPaid: booking.debit_id !== null,
    refundCents: booking.refund_cents === null ? null : BigInt(booking.refund_cents),
    conditions: booking.terms.conditions,
  };
}
