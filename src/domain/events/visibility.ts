import type { Scope } from '../teams/scope.ts';
import type { EventType } from './catalogue.ts';
import { eventTypes } from './catalogue.ts';

/** The scopes that let a key see events at all: any of them, and then the events of what it may read. */
export const eventScopes = ['wallet:read', 'bookings:read', 'webhooks:read'] as const satisfies Scope[];

type EventScope = (typeof eventScopes)[number];

type FirstWordOf<Type> = Type extends `${infer Word}.${string}` ? Word : never;

/** What events are about, by the first word of their types; events of the account go with webhooks. */
const scopesByNoun: Readonly<Record<FirstWordOf<EventType>, EventScope>> = {
  wallet: 'wallet:read',
  booking: 'bookings:read',
  integration: 'webhooks:read',
  api_key: 'webhooks:read',
};

/** What a key must be allowed to read to be told of events of a type, also of one that a later build has recorded. */
export function scopeOfEvent(type: string): EventScope {
  const [noun = ''] = type.split('.');
  return Object.hasOwn(scopesByNoun, noun)
    ? scopesByNoun[noun as keyof typeof scopesByNoun]
    : 'webhooks:read';
}

/** The types that a key with these scopes may be told of. */
export function visibleTypes(scopes: ReadonlySet<string>): string[] {
  return eventTypes.filter((type) => scopes.has(scopeOfEvent(type)));
}
