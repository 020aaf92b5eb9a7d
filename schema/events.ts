import type { SubscribeResolverData } from 'type-graphql';
import { Arg, Field, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { tenantOf } from '../src/domain/admission.ts';
import { validationError } from '../src/domain/errors.ts';
import type { EventType as EventTypeName } from '../src/domain/events/catalogue.ts';
import { walletEventTypes } from '../src/domain/events/catalogue.ts';
import type { DomainEvent } from '../src/domain/events/event.ts';
import { apiVersion } from '../src/domain/events/event.ts';
import type { EventFilter } from '../src/domain/events/subscription.ts';
import { followEvents } from '../src/domain/events/subscription.ts';
import { Operation } from './operation.ts';
import { DateTime, EventType, Json } from './scalars.ts';

@ObjectType({ description: 'What an event is about.', simpleResolvers: true })
export class EventData {
  @Field(() => Json, { description: 'The object as it is now, with the names of the REST resources.' })
  declare object: Record<string, unknown>;

  @Field(() => Json, {
    nullable: true,
    description: 'The attributes that changed, as they were; for updates.',
  })
  declare previousAttributes: Record<string, unknown> | null;
}

@ObjectType({
  description: 'Something that happened to the team, in the mode of the key.',
  simpleResolvers: true,
})
export class Event {
  @Field(() => String, {
    description: 'Unique id, prefix evt_. Pass the last one seen as `after` to resume.',
  })
  declare id: string;

  @Field(() => EventType, { description: 'Event type.' })
  declare type: string;

  @Field(() => String, { description: 'Version of the payload’s shape.' })
  declare apiVersion: string;

  @Field(() => DateTime, { description: 'Time of the event.' })
  declare createdAt: string;

  @Field(() => String, { description: 'Team id, prefix team_.' })
  declare teamId: string;

  @Field(() => EventData, { description: 'What it is about.' })
  declare data: EventData;
}

function toEvent(event: DomainEvent): Event {
  return {
    id: event.id,
    type: event.type,
    apiVersion,
    createdAt: event.createdAt.toISOString(),
    teamId: event.teamId,
    data: { object: event.data.object, previousAttributes: event.data.previous_attributes ?? null },
  };
}

/**
 * Follows events as an iterator whose end is immediate: `return` aborts the wait for the next event, which an async
 * generator alone would sit out. It also ends when the caller's key is revoked.
 */
export function liveEvents(context: RequestContext, filter: EventFilter): AsyncIterableIterator<Event> {
  const { access, feed, metrics, platform } = context.gateway;
  const ending = new AbortController();
  const events = followEvents(tenantOf(context), filter, feed, platform, ending.signal);
  const unwatch = access.watch(context.caller.keyHash, () => ending.abort());
  metrics.subscribers.inc();
  ending.signal.addEventListener('abort', () => metrics.subscribers.dec(), { once: true });
  const finish = () => {
    unwatch();
    ending.abort();
  };
  return {
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
}

interface EventArguments {
  types?: EventTypeName[] | null;
  after?: string | null;
}

/** The filter of a subscription to some of the `offered` types. @throws AppError 400 for a type that is not offered. */
function filterOf(offered: readonly string[], { types, after }: EventArguments): EventFilter {
  const other = types?.findIndex((type) => !offered.includes(type)) ?? -1;
  if (other >= 0) throw validationError({ field: `types.${other}`, type: 'invalid' }, 'Invalid events');
  return { types: new Set(types ?? offered), subjectId: null, after: after ?? null };
}

const typesDescription = 'Only these types; all when left out.';
const afterDescription = 'Id of the last event seen: everything after it follows, with no gap and no repeat.';

@Resolver()
export class EventResolver {
  @Operation({ scope: 'wallet:read' })
  @Subscription(() => Event, {
    description: 'Wallet events of the team, in the mode of the key, as they happen.',
    subscribe: ({ args, context }: SubscribeResolverData<unknown, EventArguments, RequestContext>) =>
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
}
