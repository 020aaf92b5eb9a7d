import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Express, Request, Response } from 'express';
import express from 'express';
import { commonHeaders, setHeaders } from './headers.ts';
import type { Listener } from './listener.ts';
import { isDeclinedAtOnce } from './offeredProtocols.ts';
import type { Queue } from './queuedAnswers.ts';

declare module 'http' {
  interface IncomingMessage {
    /** Identifies the request in the logs and in the X-Request-Id response header. */
    requestId: string;
    /** Name of the route or operation, for logs and metrics: never a raw path, whose ids would have no end. */
    routeName: string;
  }

  interface ServerResponse {
    /** Whether the headers that every response has are set or on their way. */
    hasCommonHeaders: boolean;
    /** Status of the refusal that took its place, for a request that broke off or could not be read to its end. */
    refusalStatus?: number;
    /** Whether who calls there shows who it is in another way than with a key. */
    takesNoKey?: boolean;
  }
}

declare module 'net' {
  interface Socket {
    /** Answers the latest request that came on this connection, until it is answered. */
    underWay?: ServerResponse | null;
    /** Answers the latest of them that may change something, until it is answered. */
    changing?: ServerResponse | null;
    /** Answers to requests that came while others were under way. */
    queued?: Queue;
    /** Whether a request on it came with a key that is known. */
    hasShownKey?: boolean;
    /** Whether it carries a WebSocket whose key is known, which is no request. */
    isKnownWebSocket?: boolean;
  }
}

/** An Express application with the settings that all doors share. */
export function createApplication(options: { trustProxy: boolean }): Express {
  const application = express();
  application.disable('x-powered-by');
  application.disable('etag');
  // As every router has it.
  application.enable('case sensitive routing');
  // The limit of headers is limit enough: Node.js would pass over all parameters after the thousandth.
  application.set('query parser', (text: string) => parse(text, '&', '=', { maxKeys: 0 }));
  // One hop: addresses that a client itself put in front of the proxy's are not believed.
  application.set('trust proxy', options.trustProxy ? 1 : false);
  return application;
}

/**
 * How long nothing may move on a connection that has a request under way: several times what any may take. A client that
 * takes nothing of its answer for so long would keep it in memory for as long as it likes.
 */
const silenceMs = 120_000;

/**
 * A server whose requests and responses are born with Express's prototypes. Express otherwise re-sets the prototype of
 * each, which costs more than everything else it does (expressjs/express#5998). They must be derived classes: objects
 * that `Reflect.construct` makes with a borrowed prototype are as slow.
 */
export function createHttpServer(application: Express, listener: Listener): Server {
  class BornRequest extends IncomingMessage {}
  Object.setPrototypeOf(BornRequest.prototype, application.request);
  application.request = BornRequest.prototype as Request;
  class BornResponse extends ServerResponse {
    override hasCommonHeaders = false;

    override writeHead(status: number, ...rest: unknown[]): this {
      if (!this.hasCommonHeaders) {
        this.hasCommonHeaders = true;
        // What Node.js answers by itself has not come past the listener.
        this.req.requestId ??= randomUUID();
        setHeaders(this, commonHeaders(this.req.requestId));
      }
      return Reflect.apply(super.writeHead, this, [status, ...rest]) as this;
    }
  }
  Object.setPrototypeOf(BornResponse.prototype, application.response);
  application.response = BornResponse.prototype as Response;
  const take = (request: IncomingMessage, response: ServerResponse) => {
    if (isDeclinedAtOnce(request)) response.setHeader('Connection', 'close');
    listener(request as Request, response as unknown as Response);
  };
  // A variable, for the types are those of Node.js 20, which has no such option.
  const acceptance = {
    shouldUpgradeCallback: (request: IncomingMessage) =>
      server.listenerCount('upgrade') > 0 && !isDeclinedAtOnce(request),
  };
  const server: Server = createServer(
    {
      ...acceptance,
      IncomingMessage: BornRequest,
      ServerResponse: BornResponse,
      // A client that dribbles its headers or body holds a socket only so long, and as long as it takes to be looked at.
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      // The listener looks at it, and at what is expected.
      requireHostHeader: false,
    },
    take,
  );
  server.on('checkExpectation', take);
  server.timeout = silenceMs;
  // Node.js would hide every header after the thousandth from us, and go by it itself: of a request that is written anew
  // (declineOffer) its length would be gone, and its body be taken for another request. 16 KiB of headers are the limit.
  server.maxHeadersCount = 0;
  return server;
}
