import type { Request, RequestHandler, Response } from 'express';
import type { FieldNode, GraphQLSchema } from 'graphql';
import { Kind, parse, validate } from 'graphql';
import type { Executable } from '../schema/executor.ts';
import { compileOperation } from '../schema/executor.ts';
import { rulesOf } from '../schema/operation.ts';
import type { OperationRules, RequestContext } from '../src/domain/admission.ts';
import { admit, identify } from '../src/domain/admission.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { readJsonBody } from '../src/infrastructure/http/body.ts';
import { setCorsHeaders } from '../src/infrastructure/http/headers.ts';
import { send, sendError, successBody } from './envelope.ts';
import type { Omission } from './omission.ts';
import { omissionOf } from './omission.ts';
import type { Route } from './route.ts';
import { rawVariables } from './variables.ts';

/** A route with all that can be worked out at boot. */
export interface PreparedRoute {
  readonly route: Route;
  readonly executable: Executable;
  readonly rules: OperationRules;
  /** The root field, whose response key holds the value. */
  readonly field: FieldNode;
  readonly omission: Omission | null;
}

/** Checks a route's document against the schema and compiles it. @throws Error naming the route and what is wrong. */
export function prepareRoute(route: Route, schema: GraphQLSchema): PreparedRoute {
  const document = parse(route.document);
  const errors = validate(schema, document);
  const faults = errors.map((error) => error.message);
  if (faults.length > 0) throw new Error(`REST route ${route.name}: ${faults.join('; ')}`);
  const executable = compileOperation(schema, document);
  const [field, ...others] = executable.operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || others.length > 0)
    throw new Error(`REST route ${route.name}: not one root field`);
  const rules = rulesOf(schema, executable.operation.operation, field.name.value);
  return { route, executable, rules, field, omission: omissionOf(field.selectionSet) };
}

/** Who calls, in a context of the request's own. @throws AppError 401 or 429. */
export async function openContext(
  request: Request,
  response: Response,
  gateway: Gateway,
): Promise<RequestContext> {
  const caller = await identify(request.headers.authorization, () => request.ip ?? '', gateway);
  setCorsHeaders(request, response, caller.corsDomains);
  return {
    gateway,
    caller,
    requestId: request.requestId,
    idempotencyKey: null,
    rateWindow: null,
    admitted: null,
    replayed: false,
  };
}

/** One request of a route: caller, limits and scope, body, variables, execution, envelope, in this order. */
export function handlerOf(prepared: PreparedRoute, gateway: Gateway): RequestHandler {
  const { route, executable, rules, field, omission } = prepared;
  const key = field.alias?.value ?? field.name.value;
  const { log } = gateway.platform;
  return async (request, response) => {
    request.routeName = route.path;
    let context: RequestContext | null = null;
    try {
      context = await openContext(request, response, gateway);
      await admit(rules, context);
      context.admitted = rules;
      if (rules.creation) context.idempotencyKey = idempotencyKeyOf(request);
      const body = route.method === 'get' ? undefined : await readJsonBody(request, response);
      const raw = rawVariables(executable.variables, route.method, {
        path: request.params,
        query: request.query,
        body,
      });
      const result = await executable.run(context, raw, { lenientMembers: true });
      if (result.errors?.[0]) throw result.errors[0];
      const value = result.data?.[key];
      omission?.(value);
      send(response, route.status, successBody(route.envelope, value, context), context);
    } catch (error) {
      sendError(response, error, context, log);
    }
  };
}

function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
}
