import type { GraphQLSchema } from 'graphql';
import { isNonNullType } from 'graphql';
import type { Variable } from '../schema/coercion.ts';
import { errorCodes } from '../src/domain/errors.ts';
import { testModeNotice } from '../src/domain/testMode.ts';
import { deliveryHeaders, eventsTag, webhookSection } from './eventDocs.ts';
import type { PreparedRoute } from './handler.ts';
import { describe, inputSchema, type JsonSchema, outputSchema } from './jsonSchemas.ts';
import { refusalExamples, refusalsByStatus } from './refusalDocs.ts';
import { tagTexts } from './routes/index.ts';

/** OpenAPI 3.1, worked out from the routes' documents and the schema, so that it says nothing else than they do. */

const metaSchema: JsonSchema = {
  type: 'object',
  description: 'Present in test mode only.',
  properties: { test_mode: { const: true }, message: { type: 'string', examples: [testModeNotice.message] } },
  required: ['test_mode', 'message'],
};

function bodySchema(prepared: PreparedRoute, schema: GraphQLSchema): JsonSchema {
  const { root, route } = prepared;
  const value = outputSchema(root.definition.type, root.node.selectionSet, schema) as {
    properties?: JsonSchema;
    required?: string[];
  };
  const success = { success: { const: true } };
  const inner = value.properties ?? {};
  if (route.envelope === 'bare') return { ...value, properties: { ...inner, _meta: metaSchema } };
  return route.envelope === 'data'
    ? {
        type: 'object',
        properties: { ...success, data: value, _meta: metaSchema },
        required: ['success', 'data'],
      }
    : {
        type: 'object',
        properties: { ...success, ...inner, _meta: metaSchema },
        required: ['success', ...(value.required ?? [])],
      };
}

const pathNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');

function parametersOf({ route, root, rules }: PreparedRoute): JsonSchema[] {
  const inPath = pathNames(route.path);
  const parameters = root.variables
    .filter(({ name }) => inPath.includes(name) || route.method === 'get')
    .map((variable) => ({
      name: variable.name,
      in: inPath.includes(variable.name) ? 'path' : 'query',
      required: inPath.includes(variable.name) || isRequired(variable),
      schema: inputSchema(variable.type),
    }));
  const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' };
  return rules.creation ? [...parameters, idempotencyKey] : parameters;
}

const isRequired = ({ type, hasDefault }: Variable) => isNonNullType(type) && !hasDefault;

function requestBodyOf({ route, root }: PreparedRoute, departureDate: string): JsonSchema {
  const inPath = pathNames(route.path);
  const members = root.variables.filter(({ name }) => !inPath.includes(name));
  if (route.method === 'get' || members.length === 0) return {};
  const schema = {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, type }) => [name, inputSchema(type)])),
    required: members.filter(isRequired).map(({ name }) => name),
  };
  const example = typeof route.example === 'function' ? route.example(departureDate) : route.example;
  const content = { schema, ...(example ? { example } : {}) };
  return { requestBody: { required: members.some(isRequired), content: { 'application/json': content } } };
}

function responsesOf(prepared: PreparedRoute, schema: GraphQLSchema): JsonSchema {
  const { route, rules, isRead } = prepared;
  const options = { isRead, isCreation: rules.creation !== null };
  const refusals = refusalsByStatus(route.refusals ?? [], options).map(([status, ofStatus]) => [
    String(status),
    {
      description: ofStatus.map(({ message }) => message).join(' · '),
      headers: headersOfRefusal(status, prepared),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: refusalExamples(ofStatus),
        },
      },
    },
  ]);
  const success = {
    description: 'Success',
    headers: rules.creation ? { ...rateHeaders, ...headersNamed('Idempotent-Replayed') } : rateHeaders,
    content: { 'application/json': { schema: bodySchema(prepared, schema) } },
  };
  return { [String(route.status)]: success, ...Object.fromEntries(refusals) };
}

const headersNamed = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const rateHeaders = headersNamed('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset');

/** Statuses of refusals that may say when the request can be sent again. */
const repeatable = new Set([409, 429, 500]);

/** Statuses of refusals that are kept for an Idempotency-Key. */
const kept = new Set([409, 422]);

function headersOfRefusal(status: number, { rules }: PreparedRoute): JsonSchema {
  if (status === 401) return {};
  return {
    ...rateHeaders,
    ...(repeatable.has(status) ? headersNamed('Retry-After') : {}),
    ...(rules.creation && kept.has(status) ? headersNamed('Idempotent-Replayed') : {}),
  };
}

const components = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'API key: sk_live_… or sk_test_…' },
  },
  parameters: {
    ...deliveryHeaders,
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'Within 24 hours the same key repeats the first response instead of creating again.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  },
  headers: {
    'X-RateLimit-Limit': { description: 'Requests a window.', schema: { type: 'integer' } },
    'X-RateLimit-Remaining': { description: 'Requests left in this window.', schema: { type: 'integer' } },
    'X-RateLimit-Reset': { description: 'Unix time at which the window ends.', schema: { type: 'integer' } },
    'Retry-After': {
      description: 'Seconds after which the same request may be sent again, where that is known.',
      schema: { type: 'integer' },
    },
    'Idempotent-Replayed': {
      description: 'Present when this is the first response again, for its Idempotency-Key.',
      schema: { const: 'true' },
    },
  },
  schemas: {
    Error: {
      type: 'object',
      properties: {
        success: { const: false },
        error: {
          type: 'object',
          properties: {
            code: { type: 'string', enum: errorCodes },
            message: { type: 'string' },
            details: {
              type: 'object',
              description: 'field and type of the first bad field, errors with all of them.',
            },
          },
          required: ['code', 'message', 'details'],
        },
        _meta: metaSchema,
      },
      required: ['success', 'error'],
    },
  },
};

/**
 * The whole document.
 * @param departureDate YYYY-MM-DD, on which its examples fly
 */
export function openApiDocument(
  prepared: readonly PreparedRoute[],
  schema: GraphQLSchema,
  departureDate: string,
): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of prepared) {
    const { route } = one;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method] = {
      operationId: route.name,
      tags: [route.tag],
      summary: route.summary,
      description: `Scope \`${one.rules.scope}\`.${one.rules.testOnly ? ' Test keys only.' : ''}`,
      parameters: parametersOf(one),
      ...requestBodyOf(one, departureDate),
      responses: responsesOf(one, schema),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Embarque Travel Booking API',
      version: '1.0.0',
      description: 'Prepaid wallet, recharges, flight search, bookings and webhooks for travel agencies.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative: whoever reads the document at one of the server's names calls the server by that name.
    servers: [{ url: '/api/v1' }],
    security: [{ bearer: [] }],
    tags: [
      ...[...new Set(prepared.map(({ route }) => route.tag))].map((name) => ({
        name,
        ...describe(tagTexts[name]),
      })),
      eventsTag,
    ],
    paths,
    webhooks: webhookSection(),
    components,
  };
}
