import type { Server } from 'node:http';
import type { Request } from 'express';
import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { OperationTypeNode } from 'graphql';
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { RequestContext } from '../../src/domain/admission.ts';
import type { Gateway } from '../../src/domain/gateway.ts';
import type { Caller } from '../../src/domain/teams/access.ts';
import { validationError } from '../../src/errors.ts';
import { gatherWrites } from '../../src/infrastructure/gatheredWrites.ts';
import { bodyLimitBytes } from '../../src/infrastructure/http/body.ts';
import {
  declineOffer,
  offersWebSocket,
  onceAnswered,
} from '../../src/infrastructure/http/offeredProtocols.ts';
import { repetitionIn } from '../../src/infrastructure/http/repeatedHeaders.ts';
import type { Log } from '../../src/infrastructure/observability/log.ts';
import { appErrorOf, isFault, renderError, wrap } from '../errors.ts';
import { countAnswer, sizedAnswer } from './answerSize.ts';
import { askedIn } from './askedOperation.ts';
import type { Protocol, SocketExtra } from './carriedSocket.ts';
import { carry, closeFailed, tryAgainLater } from './carriedSocket.ts';
import { subscribeTexts } from './eventTexts.ts';
import { idOfClient } from './operationIds.ts';
import type { OperationRequest, Prepare } from './preparation.ts';
import { asksToSubscribe, counted, isRefused, refusedAndCounted } from './preparation.ts';
import { extensionsFor, shownResult } from './shownResult.ts';
import { checkPage, idempotencyKeyOf, operationContext } from './socketCallers.ts';
import type { SocketEnd } from './socketEnd.ts';

/** Longest id that a client may give an operation: it is kept with a subscription, and stands on each of its results. */
const idCharacters = 256;

/** RFC 6455: clients that see this come back. */
const goingAway = 1001;

/**
 * How long the socket of a revoked key stays open: its subscriptions say that they have ended, and what its client asks for
 * meanwhile is refused with an error that says why.
 */
const revokedMs = 5_000;

/** Frames that one message may come in. Each keeps what it came with in memory, which may be far more than it holds. */
const mostFragments = 64;

/** Reads that one frame may come in: however slow the link, most bring a packet. */
const mostReads = 4_096;

/** Bytes that are sent to a subscriber before it has taken what went before. */
const aheadBytes = 16 * 1_024;

/** An operation, and where its results go. */
interface Asked extends ExecutionArgs {
  source: string;
  deliver(result: string): void | Promise<void>;
}

/** Sends results of one operation. @returns when the next may follow, if the client does not take them fast enough. */
function deliverTo({ request, socket, ids }: SocketExtra, serverId: string): Asked['deliver'] {
  const beginning = `{"id":${JSON.stringify(idOfClient(serverId))},"type":"next","payload":`;
  return (result) => {
    if (!ids.isUnderWay(serverId)) return;
    const message = `${beginning}${result}}`;
    gatherWrites(request.socket);
    if (socket.bufferedAmount < aheadBytes) return socket.send(message);
    return new Promise((resolve) => socket.send(message, () => resolve()));
  };
}

/** Runs a subscription. */
async function subscribe(args: ExecutionArgs) {
  const { source, deliver } = args as Asked;
  const texts = await subscribeTexts(source, args);
  return Symbol.asyncIterator in texts ? sent(texts, deliver) : texts;
}

/** Sends results past graphql-ws, which would write each anew, and for everyone. */
function sent(
  texts: AsyncIterableIterator<string>,
  deliver: Asked['deliver'],
): AsyncIterableIterator<ExecutionResult> {
  return {
    async next() {
      for (;;) {
        const next = await texts.next();
        if (next.done) return { value: undefined, done: true };
        const taken = deliver(next.value);
        if (taken) await taken;
      }
    },
    async return() {
      await texts.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Sends the only result of an operation, once that is counted. */
async function answer(result: ExecutionResult, args: Asked): Promise<AsyncIterableIterator<ExecutionResult>> {
  const context = args.contextValue as RequestContext;
  const asked = askedIn(args);
  const shown = await counted(result, context);
  const fault = shown.errors?.find(isFault);
  if (fault && asked?.operation.operation === OperationTypeNode.SUBSCRIPTION) throw fault;
  const { text } = await sizedAnswer(shownResult(shown, context), asked, context);
  await countAnswer(context);
  async function* only() {
    yield text;
  }
  return sent(only(), args.deliver);
}

/** An error that no result holds: of what results have in their `extensions`, its own have `_meta` of test mode. */
function renderAlone(error: unknown, caller: Caller | undefined, log: Log): GraphQLError {
  const rendered = renderError(error, log, null);
  const extensions = caller ? extensionsFor(caller, rendered.extensions) : {};
  return { ...rendered, ...extensions } as unknown as GraphQLError;
}

/**
 * Takes one of the places of the caller's key, until the socket is closed: by us, some time after that key is revoked.
 * @returns what gives the place back. @throws AppError 429 when none is left.
 */
function takePlace({ caller, gateway }: RequestContext, end: SocketEnd): () => void {
  const leave = gateway.places.sockets.take(caller.keyId);
  let closing: NodeJS.Timeout | undefined;
  const unwatch = gateway.access.onRevoked(caller.keyHash, () => {
    unwatch();
    closing = setTimeout(() => end.bring(CloseCode.Forbidden, 'Forbidden'), revokedMs).unref();
  });
  return () => {
    clearTimeout(closing);
    unwatch();
    leave();
  };
}

/**
 * What graphql-ws asks while it serves the protocol. What is thrown for a fault of ours ends the connection: told of it, a
 * client would take its subscription for ended, and would not resume it.
 */
function protocolOf(prepare: Prepare, gateway: Gateway): Protocol {
  const { log } = gateway.platform;
  /** Who has asked for an operation, by its payload: all that graphql-ws tells of it where it is refused. */
  const callers = new WeakMap<object, Caller>();
  return makeServer<Record<string, unknown>, SocketExtra>({
    onConnect: async ({ connectionParams, extra }) => {
      try {
        const context = await operationContext(connectionParams, extra.request, gateway);
        checkPage(extra.request, context);
        extra.keyId = context.caller.keyId;
        extra.request.socket.isKnownWebSocket = true;
        // A socket that closed while its key was looked up has been left already.
        if (extra.socket.readyState === extra.socket.OPEN) extra.leave = takePlace(context, extra.end);
        return true;
      } catch (error) {
        if (extra.keyId !== null) extra.end.dismiss(tryAgainLater, 'Too many connections');
        else if (!appErrorOf(error)) closeFailed(extra.end, error, 'websocket not opened', log);
        // Closes a socket that is still open with 4403 Forbidden, as the protocol has it.
        return false;
      }
    },
    subscribe,
    onSubscribe: async ({ connectionParams, extra }, serverId, payload) => {
      try {
        const context = await operationContext(connectionParams, extra.request, gateway);
        callers.set(payload, context.caller);
        checkPage(extra.request, context);
        if (idOfClient(serverId).length > idCharacters)
          return await refusedAndCounted([wrap(validationError({ field: 'id', type: 'too_long' }))], context);
        context.idempotencyKey = idempotencyKeyOf(payload);
        const prepared = await prepare(payload as OperationRequest, context);
        if (isRefused(prepared)) return prepared;
        // It can be resumed.
        if (askedIn(prepared)?.operation.operation === OperationTypeNode.SUBSCRIPTION)
          extra.end.settle(serverId);
        return { ...prepared, source: payload.query, deliver: deliverTo(extra, serverId) } satisfies Asked;
      } catch (error) {
        return [wrap(error)];
      }
    },
    onOperation: async ({ extra }, serverId, _payload, args, result) => {
      if (Symbol.asyncIterator in (result as object)) {
        extra.line.settle(serverId);
        return;
      }
      return answer(result as ExecutionResult, args as Asked);
    },
    onError: (_context, _id, payload, errors) => {
      const fault = errors.find(isFault);
      if (fault && asksToSubscribe(payload as OperationRequest)) throw fault;
      return errors.map((error) => renderAlone(error, callers.get(payload), log));
    },
  });
}

/**
 * Serves graphql-ws on the upgrade requests of /graphql. The key comes in connection_init's payload as `Authorization`
 * (browsers cannot set headers there) or in the upgrade request's header.
 * @returns what ends all connections once what has begun on them is answered. It waits for that as long as the server
 * leaves them open.
 */
export function serveWebSockets(
  server: Server,
  prepare: Prepare,
  gateway: Gateway,
): { close(): Promise<void> } {
  const { log } = gateway.platform;
  const protocol = protocolOf(prepare, gateway);
  const ends = new Set<SocketEnd>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: bodyLimitBytes,
    maxFragments: mostFragments,
    maxBufferedChunks: mostReads,
    // One of what has come in each turn of the event loop: others are served in between, however much a client sends.
    allowSynchronousEvents: false,
    handleProtocols,
  });
  server.on('upgrade', (request, socket, head) => {
    // What is wrong with its head is answered like any other.
    if (!offersWebSocket(request) || repetitionIn(request))
      return declineOffer(server, request, socket, head);
    socket.on('error', () => socket.destroy());
    // Of several offers the library takes none.
    request.headers.upgrade = 'websocket';
    onceAnswered(socket, () =>
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const end = carry(webSocket, request as Request, protocol, log);
        ends.add(end);
        webSocket.once('close', () => ends.delete(end));
      }),
    );
  });
  return {
    async close() {
      for (const end of ends) end.bring(goingAway, 'Going away');
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
    },
  };
}
