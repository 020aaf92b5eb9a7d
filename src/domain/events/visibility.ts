import type { Scope } from '../teams/scope.ts';
import { eventTypes } from './catalogue.ts';

/** The scopes that let a key see events at all: any of them, and then the events of what it may read. */
export const eventScopes = ['wallet:read', 'bookings:read', 'webhooks:read'] as const satisfies Scope[];

/** What a key must be allowed to read to be told of events of a type; events of the account go with webhooks. */
export function scopeOfEvent(type: string): (typeof eventScopes)[number] {
  if (type.startsWith('wallet.')) return 'wallet:read';
  return type.startsWith('booking.') ? 'bookings:read' : 'webhooks:read';
}

/** The types that a key with these scopes may be told of. */
export function visibleTypes(scopes: ReadonlySet<string>): string[] {
  return eventTypes.filter((type) => scopes.has(scopeOfEvent(type)));
}
