import type { IncomingMessage, Server } from 'node:http';
import type { Request } from 'express';
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import { GraphQLError, getOperationAST, parse, specifiedRules, validate } from 'graphql';
import { createHandler } from 'graphql-sse/lib/use/http';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import type { RequestContext } from '../src/domain/admission.ts';
import { countRequest, identify } from '../src/domain/admission.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { noticeFor } from '../src/domain/testMode.ts';
import { bodyLimitBytes } from '../src/infrastructure/http/application.ts';
import { wrap } from './apollo.ts';
import { coerceVariables, variablesOf } from './coercion.ts';
import { renderError } from './errors.ts';
import { documentLimits, limitRules } from './limits.ts';

/** Operations over long-lived connections: graphql-ws (WebSocket) and graphql-sse (distinct connections), at /graphql. */

interface OperationRequest {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
}

/** A context of its own for each operation: the key is looked at anew, so a revoked one starts nothing. */
async function contextFor(
  authorization: string | undefined,
  address: string,
  gateway: Gateway,
): Promise<RequestContext> {
  const caller = await identify(authorization, address, gateway);
  return { gateway, caller, idempotencyKey: null, rateWindow: null, admitted: null, replayed: false };
}

const rules = [...specifiedRules, ...limitRules()];

/** Parses and checks a document under the same limits as over HTTP. */
function documentOf(schema: GraphQLSchema, source: string): DocumentNode | readonly GraphQLError[] {
  let document: DocumentNode;
  try {
    document = parse(source, { maxTokens: documentLimits.tokens });
  } catch (error) {
    return [error as GraphQLError];
  }
  const errors = validate(schema, document, rules);
  return errors.length > 0 ? errors : document;
}

/** What graphql is asked to run, or the errors that answer the request. */
async function prepare(
  schema: GraphQLSchema,
  request: OperationRequest,
  authorization: string | undefined,
  address: string,
  gateway: Gateway,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  try {
    const contextValue = await contextFor(authorization, address, gateway);
    const document = documentOf(schema, request.query);
    const operation = 'kind' in document ? getOperationAST(document, request.operationName) : null;
    if (!('kind' in document) || !operation) {
      await countRequest('default', contextValue);
      return 'kind' in document ? [new GraphQLError('Unknown operation')] : document;
    }
    const variableValues = coerceVariables(variablesOf(schema, operation), request.variables ?? {}, {
      lenientMembers: false,
    });
    return { schema, document, operationName: request.operationName, variableValues, contextValue };
  } catch (error) {
    return [wrap(error)];
  }
}

/** A result as clients get it: rendered errors, and `_meta` of test mode in `extensions`. */
function rendered(result: ExecutionResult, context: RequestContext): ExecutionResult {
  const notice = noticeFor(context.caller);
  const { log } = context.gateway.platform;
  return {
    ...result,
    ...(result.errors
      ? { errors: result.errors.map((error) => renderError(error, log) as GraphQLError) }
      : {}),
    ...(notice ? { extensions: { ...result.extensions, _meta: notice } } : {}),
  } as ExecutionResult;
}

function renderedErrors(errors: readonly GraphQLError[], gateway: Gateway): readonly GraphQLError[] {
  return errors.map((error) => renderError(error, gateway.platform.log) as unknown as GraphQLError);
}

/** What graphql-ws keeps of the upgrade request. */
type SocketExtra = Record<PropertyKey, unknown> & { request: IncomingMessage };

/**
 * Serves graphql-ws on the upgrade requests of /graphql. The key comes in connection_init's payload as `Authorization`
 * (browsers cannot set headers there) or in the upgrade request's header.
 * @returns what ends all connections.
 */
export function serveWebSockets(
  server: Server,
  schema: GraphQLSchema,
  gateway: Gateway,
): { close(): Promise<void> } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: bodyLimitBytes });
  server.on('upgrade', (request, socket, head) => {
    if (request.url?.split('?', 1)[0] !== '/graphql') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      sockets.emit('connection', webSocket, request),
    );
  });
  const authorizationOf = (parameters: Record<string, unknown> | undefined, request: IncomingMessage) => {
    const given = parameters?.Authorization ?? parameters?.authorization ?? request.headers.authorization;
    return typeof given === 'string' ? given : undefined;
  };
  const addressOf = (request: IncomingMessage) => request.socket.remoteAddress ?? '';
  const served = useServer<Record<string, unknown>, SocketExtra>(
    {
      schema,
      onConnect: async (context) => {
        const { request } = context.extra;
        try {
          await identify(authorizationOf(context.connectionParams, request), addressOf(request), gateway);
          return true;
        } catch {
          // Closes the socket with 4403 Forbidden, as the protocol has it.
          return false;
        }
      },
      onSubscribe: async (context, _id, payload) => {
        const { request } = context.extra;
        const authorization = authorizationOf(context.connectionParams, request);
        const args = await prepare(
          schema,
          payload as OperationRequest,
          authorization,
          addressOf(request),
          gateway,
        );
        return Array.isArray(args) ? renderedErrors(args, gateway) : (args as ExecutionArgs);
      },
      onError: (_context, _id, _payload, errors) =>
        renderedErrors(errors as readonly GraphQLError[], gateway),
      onNext: (_context, _id, _payload, args, result) =>
        rendered(result as ExecutionResult, args.contextValue as RequestContext),
    },
    sockets,
  );
  return {
    async close() {
      await served.dispose();
      sockets.close();
    },
  };
}

/** graphql-sse wants its contexts open to any member. */
type StreamContext = RequestContext & Record<PropertyKey, unknown>;

/** Serves graphql-sse: a request to /graphql that accepts text/event-stream gets its results as a stream of events. */
export function createSseHandler(schema: GraphQLSchema, gateway: Gateway) {
  return createHandler<StreamContext>({
    schema,
    // Distinct connections only: each stream carries its own key.
    authenticate: () => null,
    onSubscribe: async (request, payload) => {
      const raw = request.raw as Request;
      raw.routeName = '/graphql (event stream)';
      const { authorization } = raw.headers;
      const args = await prepare(schema, payload as OperationRequest, authorization, raw.ip ?? '', gateway);
      if (!Array.isArray(args)) return args as ExecutionArgs & { contextValue: StreamContext };
      const errors = renderedErrors(args as readonly GraphQLError[], gateway);
      const unauthorized = errors.some((error) => error.extensions.code === 'UNAUTHORIZED');
      return [
        JSON.stringify({ errors }),
        {
          status: unauthorized ? 401 : 400,
          statusText: unauthorized ? 'Unauthorized' : 'Bad Request',
          headers: { 'content-type': 'application/json; charset=utf-8' },
        },
      ];
    },
    onNext: (context, _request, result) => rendered(result as ExecutionResult, context),
  });
}
