import type { GraphQLSchema } from 'graphql';
import { getNullableType, isObjectType } from 'graphql';
import type { Settings } from '../src/config.ts';
import { respeltPath } from '../src/infrastructure/http/pathParameters.ts';
import { restPrefix } from '../src/infrastructure/http/restPrefix.ts';
import { durationInWords } from '../src/infrastructure/text/durationInWords.ts';
import { errorSchema, metaSchema, succeeded } from './errorSchemas.ts';
import { deliveryHeaders, eventsTag, webhookSection } from './eventDocs.ts';
import type { PreparedRoute } from './handler.ts';
import { describe, TypeSchemas } from './jsonSchemas.ts';
import type { JsonSchema } from './namedSchemas.ts';
import { NamedSchemas, typeName } from './namedSchemas.ts';
import { overviewOf } from './overview.ts';
import { messagesOf, refusalExamples, refusalsByStatus } from './refusalDocs.ts';
import { tagTexts } from './tags.ts';
import { variableDocs } from './variableDocs.ts';
import { isRequired } from './variables.ts';

/** OpenAPI 3.1, worked out from the routes' documents and the schema, so that it says nothing else than they do. */

/** The parts of the document that its operations refer to. */
class Parts {
  readonly named = new NamedSchemas();
  readonly types: TypeSchemas;
  readonly error: JsonSchema;

  constructor(schema: GraphQLSchema) {
    this.types = new TypeSchemas(schema, this.named);
    this.error = errorSchema(this.named);
  }
}

function bodySchema({ root, route }: PreparedRoute, { types, named }: Parts): JsonSchema {
  const { type } = root.definition;
  const _meta = metaSchema(named);
  if (route.envelope === 'data') {
    const data = types.output(type, root.node.selectionSet, route.answerName);
    return enveloped({ data, _meta }, ['data']);
  }
  const answered = getNullableType(type);
  const { selectionSet } = root.node;
  if (!isObjectType(answered) || !selectionSet) throw new Error(`${route.name} answers no object`);
  const { properties, required, ...own } = types.object(answered, selectionSet);
  return route.envelope === 'bare'
    ? named.refer(answered.name, { ...own, properties: { ...properties, _meta }, required })
    : enveloped({ ...properties, _meta }, required);
}

const enveloped = (members: JsonSchema, required: string[]): JsonSchema => ({
  type: 'object',
  properties: { success: succeeded(true), ...members },
  required: ['success', ...required],
});

function parametersOf({ route, root, rules, inPath }: PreparedRoute, { types }: Parts): JsonSchema[] {
  const docs = variableDocs(root);
  const parameters = root.variables
    .filter(({ name }) => inPath.has(name) || route.method === 'get')
    .map((variable) => ({
      name: variable.name,
      in: inPath.has(variable.name) ? 'path' : 'query',
      required: inPath.has(variable.name) || isRequired(variable),
      ...describe(docs.get(variable.name)?.description),
      schema: {
        ...types.input(variable.type),
        ...docs.get(variable.name)?.bounds,
        ...docs.get(variable.name)?.default,
      },
    }));
  const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' };
  return rules.creation ? [...parameters, idempotencyKey] : parameters;
}

function requestBodyOf(
  { route, root, inPath }: PreparedRoute,
  departureDate: string,
  { types, named }: Parts,
): JsonSchema {
  const members = root.variables.filter(({ name }) => !inPath.has(name));
  if (route.method === 'get' || members.length === 0) return {};
  const docs = variableDocs(root);
  const properties = members.map(({ name, type }) => {
    const { description, bounds, default: ofDefault } = docs.get(name) ?? {};
    return [name, { ...types.input(type), ...bounds, ...describe(description), ...ofDefault }];
  });
  const schema = named.refer(`${typeName(route.name)}Request`, {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: members.filter(isRequired).map(({ name }) => name),
  });
  const example = typeof route.example === 'function' ? route.example(departureDate) : route.example;
  const content = { schema, ...(example ? { example } : {}) };
  return { requestBody: { required: members.some(isRequired), content: { 'application/json': content } } };
}

function responsesOf(prepared: PreparedRoute, parts: Parts): JsonSchema {
  const { route, rules } = prepared;
  const refusals = refusalsByStatus(prepared).map(([status, ofStatus]) => [
    String(status),
    {
      description: messagesOf(ofStatus).join(' · '),
      headers: headersOfRefusal(status, prepared),
      content: { 'application/json': { schema: parts.error, examples: refusalExamples(ofStatus) } },
    },
  ]);
  const success = {
    description: 'Success',
    headers: {
      ...headersOfAll,
      ...rateHeaders,
      ...(rules.creation ? headersNamed('Idempotent-Replayed') : {}),
    },
    content: {
      'application/json': { schema: bodySchema(prepared, parts), example: exampleOf(prepared) },
    },
  };
  return { [String(route.status)]: success, ...Object.fromEntries(refusals) };
}

/** What the route writes of its example, to a live key where there is a choice. */
function exampleOf({ route, rules, writer }: PreparedRoute): unknown {
  const body = writer()(route.answerExample, { kind: rules.testOnly ? 'test' : 'live' });
  return JSON.parse(typeof body === 'string' ? Buffer.from(body, 'latin1').toString() : body.toString());
}

const headersNamed = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const headersOfAll = headersNamed('X-Request-Id');

const rateHeaders = headersNamed('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset');

/** Statuses of refusals that may say when the request can be sent again. */
const repeatable = new Set([409, 429, 500]);

/** Statuses of refusals that are kept for an Idempotency-Key. */
const kept = new Set([409, 422]);

function headersOfRefusal(status: number, { rules }: PreparedRoute): JsonSchema {
  if (status === 401) return { ...headersOfAll, ...headersNamed('WWW-Authenticate') };
  return {
    ...headersOfAll,
    ...rateHeaders,
    ...(repeatable.has(status) ? headersNamed('Retry-After') : {}),
    ...(rules.creation && kept.has(status) ? headersNamed('Idempotent-Replayed') : {}),
  };
}

const componentsOf = (idempotencyWindowMs: number) => ({
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'API key: sk_live_… or sk_test_…' },
  },
  parameters: {
    ...deliveryHeaders,
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: `Within ${durationInWords(idempotencyWindowMs)} the same key repeats the first response instead of creating again.`,
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    },
  },
  headers: {
    'X-Request-Id': {
      description: 'Names the request in the logs: what to quote when asking about it.',
      schema: { type: 'string' },
    },
    'X-RateLimit-Limit': { description: 'Requests a window.', schema: { type: 'integer' } },
    'X-RateLimit-Remaining': { description: 'Requests left in this window.', schema: { type: 'integer' } },
    'X-RateLimit-Reset': { description: 'Unix time at which the window ends.', schema: { type: 'integer' } },
    'Retry-After': {
      description: 'Seconds after which the same request may be sent again, where that is known.',
      schema: { type: 'integer' },
    },
    'WWW-Authenticate': {
      description: 'How a key is shown.',
      schema: { type: 'string', const: 'Bearer' },
    },
    'Idempotent-Replayed': {
      description: 'Present when this is the first response again, for its Idempotency-Key.',
      schema: { type: 'string', const: 'true' },
    },
  },
});

/**
 * The whole document.
 * @param departureDate YYYY-MM-DD, on which its examples fly
 * @param settings of the server that it describes
 */
export function openApiDocument(
  prepared: readonly PreparedRoute[],
  schema: GraphQLSchema,
  departureDate: string,
  { IDEMPOTENCY_WINDOW, WEBHOOK_TIMEOUT }: Pick<Settings, 'IDEMPOTENCY_WINDOW' | 'WEBHOOK_TIMEOUT'>,
): JsonSchema {
  const parts = new Parts(schema);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of prepared) {
    const { route } = one;
    const path = respeltPath(route.path, (name) => `{${name}}`);
    paths[path] ??= {};
    paths[path][route.method] = {
      operationId: route.name,
      tags: [route.tag],
      summary: route.summary,
      description: `Scope \`${one.rules.scope}\`.${one.rules.testOnly ? ' Test keys only.' : ''}`,
      parameters: parametersOf(one, parts),
      ...requestBodyOf(one, departureDate, parts),
      responses: responsesOf(one, parts),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Embarque Travel Booking API',
      version: '1.0.0',
      description: overviewOf(IDEMPOTENCY_WINDOW),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative: whoever reads the document at one of the server's names calls the server by that name.
    servers: [{ url: restPrefix }],
    security: [{ bearer: [] }],
    tags: [
      ...[...new Set(prepared.map(({ route }) => route.tag))].map((name) => ({
        name,
        ...describe(tagTexts[name]),
      })),
      eventsTag,
    ],
    paths,
    webhooks: webhookSection(parts.named, WEBHOOK_TIMEOUT),
    components: { ...componentsOf(IDEMPOTENCY_WINDOW), schemas: parts.named.all() },
  };
}
