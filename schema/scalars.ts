import type { ValueNode } from 'graphql';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { isDay, isInstant } from '../src/domain/day.ts';
import { eventTypes, isEventType } from '../src/domain/events/catalogue.ts';
import { isPlaceCode } from '../src/domain/flights/searchRequest.ts';
import { amountPattern, parseAmount } from '../src/domain/money.ts';
import { largestCount, maximumLimit } from '../src/domain/pagination.ts';
import { scopes } from '../src/domain/teams/scope.ts';
import { isWebhookUrl } from '../src/domain/webhooks/webhookUrl.ts';
import { badValueMessages } from '../src/errors.ts';

/** @param node where it stands in a document; a variable's value stands in none. */
const notValid = (name: string, node: ValueNode | null) =>
  new GraphQLError(`not a valid ${name}`, { nodes: node });

interface TextForm {
  /** What OpenAPI says of it. */
  readonly openapi?: Record<string, unknown>;
  /** What it says of one that is answered, where that is not the same. */
  readonly answered?: Record<string, unknown>;
  /** What a bad value is refused with, where SPEC has a message of its own for it. */
  readonly badValue?: string;
}

/** A scalar that is a JSON string of a certain form at both doors, and passes through as it is. */
function textScalar(
  name: string,
  description: string,
  isValid: (text: string) => boolean,
  { openapi, answered, badValue }: TextForm,
): GraphQLScalarType<string, string> {
  const check = (value: unknown, node: ValueNode | null): string => {
    if (typeof value === 'string' && isValid(value)) return value;
    throw notValid(name, node);
  };
  return new GraphQLScalarType<string, string>({
    name,
    description,
    serialize: (value) => value as string,
    parseValue: (value) => check(value, null),
    parseLiteral: (node) => check(node.kind === Kind.STRING ? node.value : null, node),
    extensions: {
      verbatim: true,
      openapi: { type: 'string', ...openapi },
      ...(answered && { answered: { type: 'string', ...answered } }),
      badValue,
    },
  });
}

export const Amount = textScalar(
  'Amount',
  'Money as a decimal string with two decimals, such as "1234.50". Input may have none, one or two decimals.',
  (text) => parseAmount(text) !== null,
  {
    openapi: { pattern: amountPattern.source, examples: ['1234.50'] },
    answered: { pattern: '^(0|[1-9]\\d*)\\.\\d{2}$', examples: ['1234.50'] },
  },
);

export const Percent = textScalar(
  'Percent',
  'A percentage as a decimal string with at most four decimals, such as "10" or "7.5".',
  (text) => /^\d{1,3}(\.\d{1,4})?$/.test(text),
  { openapi: { examples: ['7.5'] } },
);

export const DateTime = textScalar(
  'DateTime',
  'An instant in ISO 8601, UTC, with milliseconds: "2026-11-20T12:00:31.000Z".',
  isInstant,
  { openapi: { format: 'date-time' } },
);

export const Day = textScalar('Day', 'A calendar day, "2026-11-20".', isDay, {
  openapi: { format: 'date' },
});

export const Moment = textScalar(
  'Moment',
  'An instant in ISO 8601, "2026-11-20T12:00:31Z", or a UTC day, "2026-11-20", for its start.',
  (text) => isDay(text) || isInstant(text),
  {
    openapi: {
      pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d.+)?$',
      examples: ['2026-11-20T12:00:31Z', '2026-11-20'],
    },
  },
);

export const AirportCode = textScalar(
  'AirportCode',
  'IATA code of an airport, or of a city for all of its airports: "GRU", "SAO".',
  isPlaceCode,
  { openapi: { pattern: '^[A-Z]{3}$', examples: ['GRU'] }, badValue: badValueMessages.airport },
);

export const DepartureDate = textScalar('DepartureDate', 'Day of departure, "2026-12-01".', isDay, {
  openapi: { format: 'date' },
  badValue: badValueMessages.departureDate,
});

export const EventType = textScalar('EventType', `One of: ${eventTypes.join(', ')}.`, isEventType, {
  openapi: {
    enum: eventTypes,
    description: 'What an event tells of: each type stands under Webhooks, with its payload and an example.',
  },
  badValue: badValueMessages.events,
});

export const WebhookUrl = textScalar(
  'WebhookUrl',
  'A URL that deliveries may be sent to: https, no user info, port 443 or 1024 and above.',
  isWebhookUrl,
  {
    // Not of the format `uri`: one is given back as it was sent, which may be with letters that RFC 3986 would have encoded.
    openapi: { examples: ['https://agency.example.com/hooks'] },
    badValue: badValueMessages.url,
  },
);

export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
  extensions: { openapi: {} },
});

export const KeyScope = textScalar(
  'KeyScope',
  `What an API key may do, one of: ${scopes.join(', ')}.`,
  (text) => (scopes as readonly string[]).includes(text),
  { openapi: { enum: scopes } },
);

/** A whole number from 1 to `maximum`. */
function rangeScalar(name: string, description: string, maximum: number): GraphQLScalarType<number, number> {
  const check = (value: unknown, node: ValueNode | null): number => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maximum) return value;
    throw notValid(name, node);
  };
  return new GraphQLScalarType<number, number>({
    name,
    description,
    serialize: (value) => value as number,
    parseValue: (value) => check(value, null),
    parseLiteral: (node) => check(node.kind === Kind.INT ? Number(node.value) : null, node),
    extensions: { openapi: { type: 'integer', minimum: 1, maximum } },
  });
}

export const PageNumber = rangeScalar('PageNumber', 'A page of a list, from 1.', largestCount);

export const PageSize = rangeScalar('PageSize', `Items on a page, 1 to ${maximumLimit}.`, maximumLimit);
