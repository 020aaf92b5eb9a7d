import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import type { Express, Request, Response } from 'express';
import express from 'express';
import { AppError, validationError } from '../../domain/errors.ts';
import type { Log } from '../log.ts';
import { logOfSafeFields, withoutSecrets } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { DirectRoutes } from './directRoutes.ts';
import { commonHeaders, setHeaders } from './headers.ts';

/** Largest request body, in bytes, at every door. */
export const bodyLimitBytes = 1024 * 1024;

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
  }
}

declare module 'net' {
  interface Socket {
    /** Answers the latest request that came on this connection, until it is answered. */
    underWay?: ServerResponse | null;
  }
}

const requestIdPattern = /^[A-Za-z0-9._-]{8,64}$/;

/** The id that the client gave, unless it is none or looks like a key, which no log may hold; else a new one. */
function requestIdOf(given: string | string[] | undefined): string {
  if (given === undefined) return randomUUID();
  const sound = typeof given === 'string' && requestIdPattern.test(given) && withoutSecrets(given) === given;
  return sound ? given : randomUUID();
}

/** An Express application with the settings that all doors share. */
export function createApplication(options: { trustProxy: boolean }): Express {
  const application = express();
  application.disable('x-powered-by');
  application.disable('etag');
  // The limit of headers is limit enough: Node.js would pass over all parameters after the thousandth.
  application.set('query parser', (text: string) => parse(text, '&', '=', { maxKeys: 0 }));
  // One hop: addresses that a client itself put in front of the proxy's are not believed.
  application.set('trust proxy', options.trustProxy ? 1 : false);
  return application;
}

type Listener = (request: Request, response: Response) => void;

export interface ListenerParts {
  application: Express;
  /** Endpoints that need not be looked for. */
  direct: DirectRoutes;
  log: Log;
  metrics: Metrics;
  /** Answers a request whose handler failed. */
  refuse(error: unknown, response: Response): void;
}

/** Takes every request: gives it an id, a log line and its time in the metrics, and hands it to its endpoint. */
export function createListener({ application, direct, log, metrics, refuse }: ListenerParts): Listener {
  const requestLog = logOfSafeFields(log);
  return (request, response) => {
    observe(request, response, requestLog, metrics);
    const fault = faultOf(request);
    if (fault) {
      // What follows such a head, Node.js may read otherwise than whoever sent it.
      response.setHeader('Connection', 'close');
      return refuse(fault, response);
    }
    const handler = direct.find(request);
    // Express itself ends what no part of the application takes: a target that has no path, such as `http://[/`.
    if (!handler)
      return application(request, response, (error?: unknown) =>
        refuse(error ?? new URIError('no path'), response),
      );
    const answering = handler(request, response);
    if (answering) answering.catch((error) => refuse(error, response));
  };
}

const noHost = validationError({ field: 'Host', type: 'required' });
const manyHosts = validationError({ field: 'Host', type: 'repeated' });
const unknownExpectation = new AppError('VALIDATION_ERROR', 'Expectation failed', {
  kind: 'expectation_failed',
  details: { field: 'Expect', type: 'unsupported' },
});

/** @param rawHeaders names and values in turn. */
function hasManyHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** As Node.js knows it, which has answered it by then. */
const knownExpectation = /(?:^|\W)100-continue(?:\W|$)/i;

/**
 * What is wrong with a head that could be read (RFC 9112, 3.2, and RFC 9110, 10.1.1). Of a second Host Node.js tells nothing,
 * and what else it refuses it would answer without a body.
 */
function faultOf({ headers, rawHeaders, httpVersion }: Request): AppError | null {
  if (httpVersion !== '1.1') return null;
  if (headers.host === undefined) return noHost;
  if (hasManyHosts(rawHeaders)) return manyHosts;
  const { expect } = headers;
  return expect === undefined || knownExpectation.test(expect) ? null : unknownExpectation;
}

const quietRoutes = new Set(['/health/live', '/health/ready', '/metrics']);

function observe(request: Request, response: Response, log: Log, metrics: Metrics): void {
  const startedMs = performance.now();
  request.requestId = requestIdOf(request.headers['x-request-id']);
  request.routeName = 'unmatched';
  request.originalUrl = request.url;
  const { socket } = request;
  socket.underWay = response;
  response.on('close', () => {
    if (socket.underWay === response) socket.underWay = null;
    const seconds = (performance.now() - startedMs) / 1000;
    const status = response.statusCode;
    metrics.requestTimes.add(request.method, request.routeName, status, seconds);
    // Probes come every few seconds for ever: who wants them in the log asks for debug.
    const level = quietRoutes.has(request.routeName) ? 'debug' : 'info';
    log[level](
      {
        requestId: request.requestId,
        method: request.method,
        path: pathOf(request),
        route: request.routeName,
        status,
        milliseconds: Math.round(seconds * 1e6) / 1e3,
        ...(response.writableFinished ? {} : { aborted: true }),
      },
      'request',
    );
  });
}

/** Without the query string, which may hold what clients should not have put there. */
function pathOf(request: Request): string {
  const { originalUrl } = request;
  const end = originalUrl.indexOf('?');
  return withoutSecrets(originalUrl.slice(0, end === -1 ? 200 : Math.min(end, 200)));
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
  const take = (request: IncomingMessage, response: ServerResponse) =>
    listener(request as Request, response as unknown as Response);
  const server = createServer(
    {
      IncomingMessage: BornRequest,
      ServerResponse: BornResponse,
      // A client that dribbles its headers or body holds a socket only so long.
      headersTimeout: 15_000,
      requestTimeout: 30_000,
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
