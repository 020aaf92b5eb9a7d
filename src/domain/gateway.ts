import type { RateLimiter } from '../infrastructure/rateLimits/rateLimiter.ts';
import type { EventFeed } from './events/feed.ts';
import type { KeyPlaces } from './keyPlaces.ts';
import type { Platform } from './platform.ts';
import type { Access } from './teams/access.ts';

/** What both doors share: the platform, who may come in, how often, and the live feed. */
export interface Gateway {
  readonly platform: Platform;
  readonly access: Access;
  readonly feed: EventFeed;
  readonly limiter: RateLimiter;
  /** Live subscriptions, and WebSockets. */
  readonly places: { readonly subscriptions: KeyPlaces; readonly sockets: KeyPlaces };
}
