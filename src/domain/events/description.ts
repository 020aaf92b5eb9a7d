import type { EventType } from './catalogue.ts';
import { eventCatalogue, eventTypes } from './catalogue.ts';
import { apiVersion, testEventNotice } from './event.ts';
import { payloadSchema } from './validation.ts';
import { scopeOfEvent } from './visibility.ts';

/** An event type as the documentation shows it, at every door. */
export interface EventTypeDescription {
  type: EventType;
  description: string;
  /** What a key must be allowed to read to be told of it in a subscription. */
  scope: string;
  /** JSON Schema (2020-12) of the whole payload that is delivered. */
  schema: Record<string, unknown>;
  /** One such payload. */
  example: Record<string, unknown>;
}

const text = (description: string, form: Record<string, unknown> = {}) => ({
  type: 'string',
  description,
  ...form,
});

const noticeSchema = {
  type: 'object',
  description: 'Of a test event only.',
  properties: {
    test_event: { type: 'boolean', const: true },
    message: text('What a test event is.', { examples: [testEventNotice.message] }),
  },
  required: ['test_event', 'message'],
};

/** SPEC Payload, around the `data` of a type, and what a test event has besides. */
function envelopeSchema(type: EventType): Record<string, unknown> {
  const properties = {
    id: text('Event id, prefix evt_: the same in every attempt and for every webhook.'),
    type: { type: 'string', const: type },
    api_version: text('Version of the payload.', { format: 'date' }),
    created_at: text('Time of the event.', { format: 'date-time' }),
    data: payloadSchema(type),
    team_id: text('Team id, prefix team_.'),
    webhook_id: text('Id of the receiving webhook, prefix wh_.'),
  };
  return {
    type: 'object',
    properties: { ...properties, _meta: noticeSchema },
    required: Object.keys(properties),
  };
}

function describeType(type: EventType): EventTypeDescription {
  const { description, example } = eventCatalogue[type];
  const { object } = example;
  return {
    type,
    description,
    scope: scopeOfEvent(type),
    schema: envelopeSchema(type),
    example: {
      id: 'evt_01jd4ynv5te5j8v2r0h3m6x9qg',
      type,
      api_version: apiVersion,
      created_at: object.updated_at ?? object.paid_at ?? object.created_at ?? '2026-11-20T12:05:00.000Z',
      data: example,
      team_id: 'team_01jd4yh0gge5j8v2r0h3m6x9qh',
      webhook_id: 'wh_01jd4yhz1je5j8v2r0h3m6x9qj',
    },
  };
}

let described: readonly EventTypeDescription[] | undefined;

/** All event types in the order of the catalogue, described when they are first asked for: a start is faster without. */
export function eventTypeDescriptions(): readonly EventTypeDescription[] {
  described ??= eventTypes.map(describeType);
  return described;
}
