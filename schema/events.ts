import type { SubscribeResolverData } from 'type-graphql';
import { Arg, Ctx, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { forbidden, tenantOf } from '../src/domain/admission.ts';
import { findBooking } from '../src/domain/bookings/reading.ts';
import type { EventType as EventTypeName } from '../src/domain/events/catalogue.ts';
import { eventTypes, walletEventTypes } from '../src/domain/events/catalogue.ts';
import { eventTypeDescriptions } from '../src/domain/events/description.ts';
import { latestEventId } from '../src/domain/events/feed.ts';
import type { EventFilter } from '../src/domain/events/subscription.ts';
import { followEvents } from '../src/domain/events/subscription.ts';
import { eventScopes, visibleTypes } from '../src/domain/events/visibility.ts';
import type { Platform } from '../src/domain/platform.ts';
import { findRecharge } from '../src/domain/recharges/reading.ts';
import type { Tenant } from '../src/domain/tenant.ts';
import { badValueMessages, validationError } from '../src/errors.ts';
import { Checks } from './argumentChecks.ts';
import { Event, EventTypeDescription, toEvent } from './eventObjects.ts';
import { Operation } from './operation.ts';
import { EventType } from './scalars.ts';

/**
 * Follows events as an iterator whose end is immediate: `return` aborts the wait for the next event, which an async
 * generator alone would sit out. It also ends when the caller's key is revoked. Resolves once it has begun: an event stream
 * that is open tells what happens from then on.
 * @throws AppError 429 when the key has as many subscriptions as it may.
 */
async function liveEvents(
  context: RequestContext,
  filter: EventFilter,
): Promise<AsyncIterableIterator<Event>> {
  const { access, feed, places, platform } = context.gateway;
  const { metrics } = platform;
  const leave = places.subscriptions.take(context.caller.keyId);
  const ending = new AbortController();
  const reader = { keyId: context.caller.keyId, signal: ending.signal };
  const { begun, events } = followEvents(tenantOf(context), filter, feed, platform, reader);
  const unwatch = access.watch(context.caller.keyHash, () => ending.abort());
  ending.signal.addEventListener('abort', leave, { once: true });
  const finish = () => {
    unwatch();
    ending.abort();
  };
  await begun;
  if (!ending.signal.aborted) {
    metrics.subscribers.inc();
    ending.signal.addEventListener('abort', () => metrics.subscribers.dec(), { once: true });
  }
  const live: AsyncIterableIterator<Event> = {
    async next() {
      try {
        const next = await events.next();
        if (next.done) finish();
        return next.done ? { value: undefined, done: true } : { value: toEvent(next.value), done: false };
      } catch (error) {
        finish();
        throw error;
      }
    },
    async return() {
      finish();
      await events.return();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return live;
}

interface EventArguments {
  types?: EventTypeName[] | null;
  after?: string | null;
}

/** Types to follow, null for all. @throws AppError 400 for one that is not of the `offered`, or a list of none. */
function checkTypes(offered: readonly string[], types: readonly EventTypeName[] | null): void {
  const { events: message } = badValueMessages;
  if (types?.length === 0) throw validationError({ field: 'types', type: 'required' }, message);
  const other = types?.findIndex((type) => !offered.includes(type)) ?? -1;
  if (other >= 0) throw validationError({ field: `types.${other}`, type: 'invalid' }, message);
}

/** The filter of a subscription to some of the `offered` types. @throws AppError 400 as checkTypes says. */
function filterOf(offered: readonly string[], { types, after }: EventArguments): EventFilter {
  checkTypes(offered, types ?? null);
  return { types: new Set(types ?? offered), subjectId: null, after: after ?? null };
}

/**
 * The filter of a subscription to everything that the caller may read.
 * @throws AppError 403 for a type that it may not: leaving that out in silence would look like nothing happening.
 */
function visibleFilter({ caller }: RequestContext, args: EventArguments): EventFilter {
  const visible = visibleTypes(caller.scopes);
  if (args.types?.some((type) => !visible.includes(type))) throw forbidden();
  return filterOf(visible, args);
}

interface SubjectArguments {
  id: string;
  after?: string | null;
}

/** A kind of resource whose events can be followed. */
interface Followed {
  readonly types: readonly EventTypeName[];
  /** @throws AppError 404 for an id that is unknown to this team and mode, or no id at all. */
  find(tenant: Tenant, id: string, platform: Platform): Promise<unknown>;
}

const followed: Readonly<Record<'recharge' | 'booking', Followed>> = {
  recharge: {
    types: eventTypes.filter((type) => type.startsWith('wallet.recharge.')),
    find: findRecharge,
  },
  booking: {
    types: eventTypes.filter((type) => type.startsWith('booking.')),
    find: findBooking,
  },
};

/** Follows the events of one resource. @throws AppError 404 when there is none with this id. */
async function liveEventsOf(
  { types, find }: Followed,
  context: RequestContext,
  { id, after }: SubjectArguments,
): Promise<AsyncIterableIterator<Event>> {
  await find(tenantOf(context), id, context.gateway.platform);
  return liveEvents(context, { types: new Set(types), subjectId: id, after: after ?? null });
}

type Subscribing<Arguments> = SubscribeResolverData<unknown, Arguments, RequestContext>;

const typesDescription = 'Only these types; all when left out.';
const afterDescription =
  'Id of the last event seen, or a `latestEventId`: everything after it follows, with no gap and no repeat.';

@Resolver()
export class EventResolver {
  @Operation({ scope: eventScopes })
  @Query(() => [EventTypeDescription], { description: 'All event types with their payloads.' })
  eventTypes(): EventTypeDescription[] {
    return [...eventTypeDescriptions()];
  }

  @Operation({ scope: eventScopes })
  @Query(() => String, {
    description:
      'Id of the latest event of the team, in the mode of the key, whatever its type: where subscriptions begin that have seen none yet.',
  })
  latestEventId(@Ctx() context: RequestContext): Promise<string> {
    return latestEventId(tenantOf(context), context.gateway.platform);
  }

  @Operation({ scope: 'wallet:read' })
  @Checks({ types: (types: EventTypeName[] | null) => checkTypes(walletEventTypes, types) })
  @Subscription(() => Event, {
    description: 'Wallet events of the team, in the mode of the key, as they happen.',
    subscribe: ({ args, context }: Subscribing<EventArguments>) =>
      liveEvents(context as RequestContext, filterOf(walletEventTypes, args ?? {})),
  })
  walletEvents(
    @Root() event: Event,
    @Arg('types', () => [EventType], { nullable: true, description: typesDescription }) _types?:
      | string[]
      | null,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after?: string | null,
  ): Event {
    return event;
  }

  @Operation({ scope: eventScopes })
  @Checks({ types: (types: EventTypeName[] | null) => checkTypes(eventTypes, types) })
  @Subscription(() => Event, {
    description:
      'Events of the team, in the mode of the key, as they happen: wallet.* for keys with wallet:read, booking.* with bookings:read, the others with webhooks:read.',
    subscribe: ({ args, context }: Subscribing<EventArguments>) =>
      liveEvents(context as RequestContext, visibleFilter(context as RequestContext, args ?? {})),
  })
  events(
    @Root() event: Event,
    @Arg('types', () => [EventType], {
      nullable: true,
      description: 'Only these types; all that the key may read when left out.',
    })
    _types?: string[] | null,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after?: string | null,
  ): Event {
    return event;
  }

  @Operation({ scope: 'wallet:read' })
  @Subscription(() => Event, {
    description:
      'What becomes of one recharge: its wallet.recharge.* events from now on. There is none for a recharge that is cancelled or fails.',
    subscribe: ({ args, context }: Subscribing<SubjectArguments>) =>
      liveEventsOf(followed.recharge, context as RequestContext, args as SubjectArguments),
  })
  rechargeUpdated(
    @Root() event: Event,
    @Arg('id', () => String, { description: 'Id, prefix rch_.' }) _id: string,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after?: string | null,
  ): Event {
    return event;
  }

  @Operation({ scope: 'bookings:read' })
  @Subscription(() => Event, {
    description: 'What becomes of one booking: its booking.* events from now on.',
    subscribe: ({ args, context }: Subscribing<SubjectArguments>) =>
      liveEventsOf(followed.booking, context as RequestContext, args as SubjectArguments),
  })
  bookingUpdated(
    @Root() event: Event,
    @Arg('id', () => String, { description: 'Id, prefix ord_.' }) _id: string,
    @Arg('after', () => String, { nullable: true, description: afterDescription }) _after?: string | null,
  ): Event {
    return event;
  }
}
