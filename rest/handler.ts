import type { Request, RequestHandler, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { parse, validate } from 'graphql';
import { rulesOf } from '../schema/operation.ts';
import type { OperationRules, RequestContext } from '../src/domain/admission.ts';
import { admit, identify } from '../src/domain/admission.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { readJsonBody } from '../src/infrastructure/http/body.ts';
import { setCorsHeaders } from '../src/infrastructure/http/headers.ts';
import type { SuccessWriter } from './envelope.ts';
import { sendError, sendText, successWriter } from './envelope.ts';
import type { RootField } from './rootField.ts';
import { rootFieldOf } from './rootField.ts';
import type { Route } from './route.ts';
import { rawVariables } from './variables.ts';

/** A route with all that can be worked out at boot. */
export interface PreparedRoute {
  readonly route: Route;
  readonly root: RootField;
  readonly rules: OperationRules;
  readonly write: SuccessWriter;
}

/** Checks a route's document against the schema and compiles it. @throws Error naming the route and what is wrong. */
export function prepareRoute(route: Route, schema: GraphQLSchema): PreparedRoute {
  const document = parse(route.document);
  const errors = validate(schema, document);
  const faults = errors.map((error) => error.message);
  if (faults.length > 0) throw new Error(`REST route ${route.name}: ${faults.join('; ')}`);
  try {
    const root = rootFieldOf(schema, document);
    const rules = rulesOf(schema, root.operation.operation, root.definition.name);
    return { route, root, rules, write: successWriter(route.envelope, root) };
  } catch (error) {
    throw new Error(`REST route ${route.name}: ${(error as Error).message}`);
  }
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
  const { route, root, rules, write } = prepared;
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
      const raw = rawVariables(root.variables, route.method, {
        path: request.params,
        query: request.query,
        body,
      });
      const value = await root.resolve(context, raw);
      sendText(response, route.status, write(value, context), context);
    } catch (error) {
      sendError(response, error, context, log);
    }
  };
}

function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
}
