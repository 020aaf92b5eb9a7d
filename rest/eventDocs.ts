import { eventTypeDescriptions } from '../src/domain/events/description.ts';
import { durationInWords } from '../src/infrastructure/text/durationInWords.ts';
import type { JsonSchema, NamedSchemas } from './namedSchemas.ts';
import { typeName } from './namedSchemas.ts';

/** What OpenAPI says about deliveries: one webhook for each event type, as the catalogue of events describes it. */

const header = (name: string, description: string, schema: JsonSchema, required = true) => [
  name,
  { name, in: 'header', required, description, schema },
];

const hexadecimal = { type: 'string', pattern: '^[0-9a-f]{64}$' };

/** Headers of every delivery (SPEC Delivery headers, and those of Standard Webhooks 1.0). */
export const deliveryHeaders: JsonSchema = Object.fromEntries([
  header(
    'X-Service-Signature',
    'HMAC-SHA256 of the timestamp, a dot and the raw body, keyed with the secret as it was shown.',
    hexadecimal,
  ),
  header(
    'X-Service-Signature-Previous',
    'The same with each secret that was replaced in the last 24 hours, the newest first, separated by a comma and a blank.',
    { type: 'string' },
    false,
  ),
  header('X-Service-Timestamp', 'Unix time of sending; refuse what is more than 300 seconds away.', {
    type: 'integer',
  }),
  header('X-Service-Event-Id', 'Event id: the same in every attempt.', { type: 'string' }),
  header('webhook-id', 'The same id, as Standard Webhooks has it.', { type: 'string' }),
  header('webhook-timestamp', 'The same time, as Standard Webhooks has it.', { type: 'integer' }),
  header('webhook-signature', 'Standard Webhooks: v1 and the base64 signature, one for each secret in use.', {
    type: 'string',
  }),
]);

const parameters = Object.keys(deliveryHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` }));

const responsesWithin = (timeoutMs: number) => ({
  '2XX': { description: `Delivered. The status line must arrive within ${durationInWords(timeoutMs)}.` },
  default: { description: 'Anything else, redirects included, is a failed attempt: it is tried again.' },
});

export const eventsTag = {
  name: 'Events',
  description:
    'What webhooks receive, by type; subscriptions at /graphql tell the same. The same event can arrive more than once.',
};

/** Slices of bookings are told as REST answers them, which is one type to generated clients. */
const sharingSlices = (schema: JsonSchema): JsonSchema =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === 'slices' ? { ...value, items: { $ref: '#/components/schemas/OfferSlice' } } : value,
    ),
  );

/**
 * OpenAPI 3.1 `webhooks`: their bodies are named `BookingCreatedEvent` and so on.
 * @param timeoutMs what an attempt may take, in milliseconds
 */
export function webhookSection(named: NamedSchemas, timeoutMs: number): JsonSchema {
  const responses = responsesWithin(timeoutMs);
  return Object.fromEntries(
    eventTypeDescriptions().map(({ type, description, schema, example }) => [
      type,
      {
        post: {
          operationId: type,
          tags: [eventsTag.name],
          summary: description,
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: named.refer(`${typeName(type)}Event`, sharingSlices(schema)),
                example,
              },
            },
          },
          responses,
        },
      },
    ]),
  );
}
