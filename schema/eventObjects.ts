import { Field, ObjectType } from 'type-graphql';
import type { DomainEvent } from '../src/domain/events/event.ts';
import { apiVersion } from '../src/domain/events/event.ts';
import { keptOfObject } from '../src/infrastructure/keptEntry.ts';
import { DateTime, EventType, Json, KeyScope } from './scalars.ts';

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

  @Field(() => EventType, { description: 'Type, such as wallet.credit.' })
  declare type: string;

  @Field(() => String, { description: 'Version of the payload’s shape.' })
  declare apiVersion: string;

  @Field(() => DateTime, { description: 'Time of the event.' })
  declare createdAt: string;

  @Field(() => String, { description: 'Team id, prefix team_.' })
  declare teamId: string;

  @Field(() => EventData, { description: 'The object it is about, and what changed.' })
  declare data: EventData;
}

@ObjectType({
  description: 'A type of event, as it is told to webhooks and subscriptions.',
  simpleResolvers: true,
})
export class EventTypeDescription {
  @Field(() => EventType, { description: 'Name of the type.' })
  declare type: string;

  @Field(() => String, { description: 'When such an event is told.' })
  declare description: string;

  @Field(() => KeyScope, { description: 'What a key must be allowed to read to follow it in `events`.' })
  declare scope: string;

  @Field(() => Json, { description: 'JSON Schema (2020-12) of the payload that webhooks get.' })
  declare schema: Record<string, unknown>;

  @Field(() => Json, { description: 'One such payload.' })
  declare example: Record<string, unknown>;
}

const told = new WeakMap<DomainEvent, Event>();

/** The same for all that follow the event: what they ask of it is worked out once. */
export function toEvent(event: DomainEvent): Event {
  return keptOfObject(told, event, () => describeEvent(event));
}

function describeEvent(event: DomainEvent): Event {
  return {
    id: event.id,
    type: event.type,
    apiVersion,
    createdAt: event.createdAt.toISOString(),
    teamId: event.teamId,
    data: { object: event.data.object, previousAttributes: event.data.previous_attributes ?? null },
  };
}
