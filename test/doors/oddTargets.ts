import type { OperationTypeNode } from 'graphql';
import type { PreparedRoute } from '../../rest/handler.ts';
import { preparedRoutes } from '../../rest/preparedRoutes.ts';
import { gatewaySchema } from '../../schema/index.ts';
import { rulesOf } from '../../schema/operation.ts';
import type { Json } from '../harness/client.ts';
import type { TestServer } from '../harness/server.ts';
import { eventStream, streamedResults } from '../harness/subscribers.ts';
import { documentOf, type Input, type OperationKind, variablesFrom } from './inputMembers.ts';
import { asText, encoded, jsonOf } from './oddValues.ts';

interface Refusal {
  readonly code: string;
  /** Those that it names. */
  readonly fields: readonly string[];
  /** Of a bad request, each of them with what is wrong with it: `passengers.0.born_on future`. */
  readonly faults: readonly string[];
}

/** What came back, through whatever it was sent. */
export interface OddAnswer {
  readonly status: number;
  readonly text: string;
  readonly data: Json;
  /** Null for what was accepted. */
  readonly refusal: Refusal | null;
}

/** Whatever takes requests. */
export interface Target {
  readonly title: string;
  /** The field of the schema that does the work. */
  readonly operation: string;
  readonly isWrite: boolean;
  readonly isOfOperators: boolean;
  readonly inputs: readonly Input[];
  /** What it is sent, of a sound request in the names of the operation's arguments. */
  requestFrom(sound: Json): Json;
  send(server: TestServer, key: string, request: Json): Promise<OddAnswer>;
}

const schema = gatewaySchema();

function answerOf(status: number, text: string, data: Json, error: Json): OddAnswer {
  if (!error) return { status, text, data, refusal: null };
  const { code, details } = error.extensions ?? error;
  const fields = (details?.errors ?? [details]).map((fault: Json) => fault?.field ?? '');
  const faults = (details?.errors ?? []).map((fault: Json) => `${fault.field} ${fault.type}`);
  return { status, text, data: null, refusal: { code, fields, faults } };
}

async function sendGraphql(server: TestServer, key: string, body: string): Promise<OddAnswer> {
  const answer = await server.rest('POST', '/graphql', { key, body });
  return answerOf(answer.status, answer.text, answer.body.data?.answer, answer.body.errors?.[0]);
}

/** Follows a subscription until it has begun or is refused. */
async function sendSubscription(server: TestServer, key: string, body: string): Promise<OddAnswer> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { ...eventStream, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  if (response.headers.get('content-type')?.includes('json')) {
    const text = await response.text();
    return answerOf(response.status, text, null, JSON.parse(text).errors?.[0]);
  }
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  const text = Buffer.from(value ?? '').toString();
  return answerOf(response.status, text, null, streamedResults(text)[0]?.errors?.[0]);
}

function graphqlTargets(kind: OperationKind): Target[] {
  const root = schema.getRootType(kind as OperationTypeNode);
  const send = kind === 'subscription' ? sendSubscription : sendGraphql;
  return Object.values(root?.getFields() ?? {}).map((field) => {
    const query = documentOf(kind, field);
    return {
      title: `${kind} ${field.name}`,
      operation: field.name,
      isWrite: kind === 'mutation',
      isOfOperators: rulesOf(schema, kind, field.name).scope === 'operator',
      inputs: field.args,
      requestFrom: (sound) => sound,
      send: (server, key, variables) => send(server, key, jsonOf({ query, variables })),
    };
  });
}

/** Every query, mutation and subscription of the schema. */
export const overGraphql: readonly Target[] = [
  ...graphqlTargets('query'),
  ...graphqlTargets('mutation'),
  ...graphqlTargets('subscription'),
];

function restTarget(prepared: PreparedRoute): Target {
  const { route, root, isRead } = prepared;
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    title: `${route.method.toUpperCase()} ${route.path}`,
    operation: root.definition.name,
    isWrite: !isRead,
    isOfOperators: false,
    inputs: root.variables,
    requestFrom: (sound) => variablesFrom(prepared, sound),
    async send(server, key, request) {
      const path = route.path.replace(/:(\w+)/g, (_parameter, name) => encoded(asText(request[name])));
      const members = Object.entries(request).filter(([name]) => !inPath.includes(name));
      const pairs = members.map(([name, value]) => `${name}=${encoded(asText(value))}`);
      const isQuery = route.method === 'get';
      const target = isQuery && pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
      const { status, text, body } = await server.rest(route.method.toUpperCase(), `/api/v1${target}`, {
        key,
        ...(isQuery ? {} : { body: jsonOf(Object.fromEntries(members)) }),
      });
      return answerOf(status, text, body.data ?? body, body.error);
    },
  };
}

/** Every documented endpoint. */
export const overRest: readonly Target[] = preparedRoutes().map(restTarget);
