import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import type { makeServer } from 'graphql-ws';
import { CloseCode, MessageType } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Log } from '../../src/infrastructure/observability/log.ts';
import { toldOfFault } from '../errors.ts';
import { MessageOrder } from './messageOrder.ts';
import { MessageTurns } from './messageTurns.ts';
import { OperationIds, reasonForClient } from './operationIds.ts';
import { OperationLine } from './operationLine.ts';
import { SocketEnd } from './socketEnd.ts';
import { watchFlow, watchStranger } from './socketFlow.ts';
import { writableJson } from './writableJson.ts';

/**
 * Largest message from whoever has not shown a key: the size of heads of HTTP. Strangers must not make the server parse
 * more, and what comes with the key is kept as long as the socket.
 */
const strangerLimitBytes = 16 * 1_024;

/** RFC 6455. */
const tooBig = 1009;

/** Of the registry of RFC 6455: clients that see this come back. */
export const tryAgainLater = 1013;

/** Bytes that RFC 6455 has room for in the reason of a close, and as many characters as always fit in. */
const reasonBytes = 123;
const reasonCharacters = 41;

/** What graphql-ws keeps of the upgrade request: Express's, like all of the server's, so it knows the proxy. */
export type SocketExtra = {
  request: Request;
  socket: WebSocket;
  ids: OperationIds;
  end: SocketEnd;
  line: OperationLine;
  /** Null until the client has shown a key. */
  keyId: string | null;
  leave: () => void;
};

export type Protocol = ReturnType<typeof makeServer<Record<string, unknown>, SocketExtra>>;

/** A reason that may have an id of the client's in it. */
const shortened = (reason: string): string =>
  Buffer.byteLength(reason) > reasonBytes ? reason.slice(0, reasonCharacters) : reason;

/**
 * Ends a connection that a fault of ours has broken, so that the client comes back: graphql-ws's 4500 has its clients
 * give up for good, also where the database was away for a moment.
 */
export function closeFailed(end: SocketEnd, error: unknown, what: string, log: Log): void {
  end.bring(tryAgainLater, toldOfFault(error, what, log, null).message);
}

/** Whether a client sent what only servers send. That is no fault of ours, and graphql-ws has no other sign of it. */
const isOfServers = (error: unknown): boolean =>
  error instanceof Error && /^Unexpected message of type \w+ received$/.test(error.message);

/**
 * Carries the protocol over one socket. What a client does wrong costs it its connection, and nobody else anything.
 * @returns what ends it.
 */
export function carry(socket: WebSocket, request: Request, protocol: Protocol, log: Log): SocketEnd {
  const ids = new OperationIds();
  const line = new OperationLine(() => flow.goOn());
  const order = new MessageOrder(() => flow.goOn());
  const flow = watchFlow(
    socket,
    request.socket,
    () => line.isLong || order.isHeldUp || messageTurns.isWaiting,
  );
  const end = new SocketEnd(socket, () => line.clear());
  const extra: SocketExtra = { request, socket, ids, end, line, keyId: null, leave: () => undefined };
  const messageTurns = new MessageTurns(socket, request.socket, () => extra.keyId, {
    onWait: () => flow.holdBack(),
    onTurn: () => flow.goOn(),
  });
  socket.once('close', () => {
    if (!order.isHeldUp) messageTurns.endMessage();
  });
  // Resolves when the client's side has taken it, so what a slow one does not read is not fetched. A failure is followed
  // by the socket's end.
  const send = (text: string) => new Promise<void>((resolve) => socket.send(text, () => resolve()));
  const refuse = () => end.dismiss(CloseCode.BadRequest, 'Invalid message received');
  watchStranger(socket, request.socket, () => extra.keyId !== null);
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      async send(text) {
        const told = ids.toClient(text);
        if (told !== null) await send(told);
      },
      close: (code, reason = '') => end.dismiss(code, shortened(reasonForClient(reason))),
      onPing(payload) {
        const pong = writableJson({ type: MessageType.Pong, ...(payload ? { payload } : {}) });
        return pong ? send(pong) : refuse();
      },
      onMessage(receive) {
        const take = (data: Buffer, isBinary: boolean) => {
          // Seen off already, it may go on for a moment.
          if (socket.readyState !== socket.OPEN) return;
          const { keyId } = extra;
          if (keyId === null && data.length > strangerLimitBytes)
            return end.dismiss(tooBig, 'Message too big');
          // The library looks at the bytes of texts alone: of these, what cannot be decoded would be replaced.
          if (isBinary && !isUtf8(data)) return refuse();
          const { message, operation, earlier, ended } = ids.receive(String(data));
          if (operation !== null && end.isNear) return ended();
          const hand = () =>
            receive(message).catch((error) =>
              isOfServers(error) ? refuse() : closeFailed(end, error, 'websocket message failed', log),
            );
          if (earlier !== null) line.follow(earlier, data.length, () => void hand().finally(ended));
          else if (operation === null || keyId === null) void hand().finally(ended);
          else
            line.add(operation, keyId, data.length, () => {
              end.waitFor(operation);
              void hand().finally(() => {
                ended();
                end.settle(operation);
                line.settle(operation);
              });
            });
        };
        socket.on('message', (data: Buffer, isBinary) =>
          order.take(data.length, extra.keyId, () => {
            take(data, isBinary);
            messageTurns.endMessage();
          }),
        );
      },
    },
    extra,
  );
  // ws answers with the right close code by itself.
  socket.on('error', (error) => {
    log.debug({ err: error }, 'websocket failed');
    end.cutSoon();
  });
  socket.once('close', (code, reason) => {
    extra.leave();
    line.clear();
    closed(code, String(reason)).catch((error) => log.error({ err: error }, 'subscriptions not ended'));
  });
  return end;
}
