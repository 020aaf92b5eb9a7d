import type { IncomingMessage, Server } from 'node:http';
import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import type { RequestContext } from '../src/domain/admission.ts';
import { identify } from '../src/domain/admission.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { bodyLimitBytes } from '../src/infrastructure/http/application.ts';
import { renderError, wrap } from './errors.ts';
import type { createPreparation, OperationRequest } from './preparation.ts';
import { counted, rendered } from './preparation.ts';

/** Bytes that may wait for a client that asks without reading the answers. */
const unreadLimitBytes = 4 * bodyLimitBytes;

/** How long clients have to answer that the server goes away. */
const farewellMs = 1_000;

/** What graphql-ws keeps of the upgrade request. */
type SocketExtra = Record<PropertyKey, unknown> & { request: IncomingMessage };

function authorizationOf(parameters: Record<string, unknown> | undefined, request: IncomingMessage) {
  const given = parameters?.Authorization ?? parameters?.authorization ?? request.headers.authorization;
  return typeof given === 'string' ? given : undefined;
}

/** A context of its own for each operation: the key is looked at anew, so a revoked one starts nothing. */
async function contextOf(
  parameters: Record<string, unknown> | undefined,
  request: IncomingMessage,
  gateway: Gateway,
): Promise<RequestContext> {
  const address = request.socket.remoteAddress ?? '';
  const caller = await identify(authorizationOf(parameters, request), address, gateway);
  return { gateway, caller, idempotencyKey: null, rateWindow: null, admitted: null, replayed: false };
}

/** Keeps a misbehaving client from costing memory, and its mistakes out of the process's error output. */
function guard(socket: WebSocket, gateway: Gateway): void {
  // graphql-ws would print it; ws has answered with the right close code already.
  socket.removeAllListeners('error');
  socket.on('error', (error) => gateway.platform.log.debug({ err: error }, 'websocket client refused'));
  const cutIfUnread = () => {
    if (socket.bufferedAmount > unreadLimitBytes) socket.terminate();
  };
  socket.on('message', cutIfUnread);
  socket.on('ping', cutIfUnread);
}

/**
 * Serves graphql-ws on the upgrade requests of /graphql. The key comes in connection_init's payload as `Authorization`
 * (browsers cannot set headers there) or in the upgrade request's header.
 * @returns what ends all connections.
 */
export function serveWebSockets(
  server: Server,
  prepare: ReturnType<typeof createPreparation>,
  gateway: Gateway,
): { close(): Promise<void> } {
  const { log } = gateway.platform;
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
  const served = useServer<Record<string, unknown>, SocketExtra>(
    {
      // Close reasons tell clients nothing of what went wrong inside.
      isProd: true,
      onConnect: async ({ connectionParams, extra }) => {
        try {
          await contextOf(connectionParams, extra.request, gateway);
          return true;
        } catch {
          // Closes the socket with 4403 Forbidden, as the protocol has it.
          return false;
        }
      },
      onSubscribe: async ({ connectionParams, extra }, _id, payload) => {
        try {
          const context = await contextOf(connectionParams, extra.request, gateway);
          return await prepare(payload as OperationRequest, context);
        } catch (error) {
          return [wrap(error)];
        }
      },
      onOperation: async (_context, _id, _payload, args: ExecutionArgs, result) =>
        Symbol.asyncIterator in (result as object)
          ? undefined
          : counted(result as ExecutionResult, args.contextValue as RequestContext),
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => renderError(error, log) as unknown as GraphQLError),
      onNext: (_context, _id, _payload, args, result) =>
        rendered(result as ExecutionResult, args.contextValue as RequestContext),
    },
    sockets,
  );
  sockets.on('connection', (socket) => guard(socket, gateway));
  return {
    async close() {
      const cut = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, farewellMs);
      await served.dispose();
      clearTimeout(cut);
    },
  };
}
