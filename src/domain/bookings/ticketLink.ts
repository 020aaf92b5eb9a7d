import type { Platform } from '../platform.ts';

type Signing = Pick<Platform, 'vault' | 'publicUrl'>;

const purpose = (id: string) => `e-ticket ${id}`;

/** Path of a booking's e-ticket receipt below PUBLIC_URL; Express parameters do for the two parts. */
export const ticketPath = (id: string, signature: string) => `/etickets/${id}/${signature}.pdf`;

/**
 * Where a traveller sees the e-ticket receipt without a key. The receipt shows people's names, and ids of bookings
 * stand in events and logs; so the link carries a signature that only this service can make.
 */
export function ticketLink(id: string, { vault, publicUrl }: Signing): string {
  return publicUrl + ticketPath(id, vault.sign(purpose(id)));
}

export function isTicketSignature(id: string, signature: string, { vault }: Pick<Signing, 'vault'>): boolean {
  return vault.isSignature(purpose(id), signature);
}
