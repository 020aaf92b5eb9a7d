import type { Request, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { Kind, parse, validate } from 'graphql';
import { bodyOf } from '../schema/callers.ts';
import { rulesOf } from '../schema/operation.ts';
import type { OperationRules, RequestContext } from '../src/domain/admission.ts';
import { runAdmitted } from '../src/domain/admission.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import type { DirectHandler } from '../src/infrastructure/http/directRoutes.ts';
import { pathParametersOf } from '../src/infrastructure/http/pathParameters.ts';
import { answering } from './answering.ts';
import type { SuccessWriter } from './envelope.ts';
import { successWriter } from './envelope.ts';
import type { Route } from './route.ts';
import type { RouteField } from './routeField.ts';
import { routeFieldOf } from './routeField.ts';
import { memberName } from './selectedMembers.ts';
import { rawVariables } from './variables.ts';

/** A route with what is worked out at boot. */
export interface PreparedRoute {
  readonly route: Route;
  readonly root: RouteField;
  readonly rules: OperationRules;
  /** Names of the variables that are parameters of its path. */
  readonly inPath: ReadonlySet<string>;
  /** Whether it changes nothing that the caller could tell. */
  readonly isRead: boolean;
  /** What writes its successes, compiled when it is first needed: a start does without. @throws Error as prepareRoute does. */
  writer(): SuccessWriter;
}

/** Checks a route's document against the schema. @throws Error naming the route and what is wrong. */
export function prepareRoute(route: Route, schema: GraphQLSchema): PreparedRoute {
  return naming(route, () => {
    const document = parse(route.document);
    const errors = validate(schema, document);
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
    const root = routeFieldOf(schema, document);
    const inPath = new Set(pathParametersOf(route.path));
    checkFit(route, root, inPath);
    const { operation } = root.operation;
    const rules = rulesOf(schema, operation, root.definition.name);
    let write: SuccessWriter | undefined;
    const writer = () => (write ??= naming(route, () => successWriter(route.envelope, root)));
    return { route, root, rules, inPath, isRead: operation === 'query', writer };
  });
}

function naming<Result>({ name }: Route, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Error(`REST route ${name}: ${(error as Error).message}`);
  }
}

/** @throws Error when what a route says of itself is not what its document does, valid as that is. */
function checkFit(
  { method, envelope }: Route,
  { operation, variables, node }: RouteField,
  inPath: ReadonlySet<string>,
): void {
  // Anything that follows links asks with GET, and again as it likes.
  if (method === 'get' && operation.operation !== 'query') throw new Error('a GET that changes something');
  for (const parameter of inPath)
    if (!variables.some(({ name }) => name === parameter)) throw new Error(`no variable $${parameter}`);
  const members = node.selectionSet?.selections.map(
    (member) => member.kind === Kind.FIELD && memberName(member),
  );
  if (envelope === 'list' && members?.toSorted().join() !== 'data,pagination')
    throw new Error('a list has data and pagination, and nothing else');
}

/** One request of a route: caller, limits and scope, body, variables, execution, envelope, in this order. */
export function handlerOf(prepared: PreparedRoute, gateway: Gateway): DirectHandler {
  return answering(prepared.route, gateway, (request, response, context) =>
    bodyOnceAdmitted(prepared, request, response, context),
  );
}

/** The body of a read is written, too, while Redis counts its request: most of what is left to do by then. */
function bodyOnceAdmitted(
  prepared: PreparedRoute,
  request: Request,
  response: Response,
  context: RequestContext,
): ReturnType<SuccessWriter> | Promise<ReturnType<SuccessWriter>> {
  const { root, rules, isRead } = prepared;
  // Before anything takes effect that could then not be told.
  const write = prepared.writer();
  const operation = { name: root.definition.name, rules, isRead };
  const work = async () => write(await execute(prepared, request, response, context), context.caller);
  return runAdmitted(operation, context, work);
}

async function execute(
  { route, root, rules }: PreparedRoute,
  request: Request,
  response: Response,
  context: RequestContext,
): Promise<unknown> {
  context.admitted = rules;
  const body = route.method === 'get' ? undefined : await bodyOf(request, response, context);
  if (root.variables.length === 0 && body === undefined) return root.resolve(context, {});
  const { params: path, query } = request;
  return root.resolve(context, rawVariables(root.variables, route.method, { path, query, body }));
}
