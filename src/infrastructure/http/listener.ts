import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Express, Request, Response } from 'express';
import { AppError, validationError } from '../../errors.ts';
import type { ProcessLog } from '../observability/log.ts';
import { withoutSecrets } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { RequestLog } from '../observability/requestLog.ts';
import { requestLogOf } from '../observability/requestLog.ts';
import { callbackPrefix } from './callbackPrefix.ts';
import type { Connections } from './connections.ts';
import type { DirectRoutes } from './directRoutes.ts';
import { QueuedAnswers } from './queuedAnswers.ts';
import { repetitionIn } from './repeatedHeaders.ts';

const requestIdPattern = /^[A-Za-z0-9._-]{8,64}$/;

/** The id that the client gave, unless it is none or looks like a key, which no log may hold; else a new one. */
function requestIdOf(given: string | string[] | undefined): string {
  if (given === undefined) return randomUUID();
  const sound = typeof given === 'string' && requestIdPattern.test(given) && withoutSecrets(given) === given;
  return sound ? given : randomUUID();
}

export type Listener = (request: Request, response: Response) => void;

export interface ListenerParts {
  application: Express;
  /** Endpoints that need not be looked for. */
  direct: DirectRoutes;
  connections: Connections;
  log: ProcessLog;
  metrics: Metrics;
  /** Answers a request whose handler failed. */
  refuse(error: unknown, response: Response): void;
  /** Answers a request for what is wrong with its head. */
  refuseHead(fault: AppError, request: Request, response: Response): void;
}

/** Takes every request: gives it an id, a log line and its time in the metrics, and hands it to its endpoint. */
export function createListener(parts: ListenerParts): Listener {
  const { application, direct, connections, log, metrics, refuse, refuseHead } = parts;
  const requestLog = requestLogOf(log);
  const queued = new QueuedAnswers();
  const take: Listener = (request, response) => {
    const fault = faultOf(request);
    // What follows such a head, Node.js may read otherwise than whoever sent it.
    if (fault || isOddlyFramed(request)) response.setHeader('Connection', 'close');
    if (fault) return refuseHead(fault, request, response);
    const handler = direct.find(request);
    // Express itself ends what no part of the application takes: a target that has no path, such as `http://[/`.
    if (!handler)
      return application(request, response, (error?: unknown) =>
        refuse(error ?? new URIError('no path'), response),
      );
    const answering = handler(request, response);
    if (answering) answering.catch((error) => refuse(error, response));
  };
  return (request, response) => {
    if (request.url.includes('#')) request.url = withoutFragment(request.url);
    const { socket } = request;
    // The answer before was the connection's last: nobody would hear of another.
    if (!socket.writable) return;
    const before = isSafe(request) ? socket.changing : socket.underWay;
    const hasRoom = !socket.underWay || queued.add(socket, request, response);
    observe(request, response, { requestLog, metrics, connections });
    if (!hasRoom) {
      metrics.cutConnections.inc({ kind: 'queued' });
      return void socket.destroy();
    }
    if (!isSafe(request)) socket.changing = response;
    if (!before) return take(request, response);
    if ((socket.queued?.answers.size ?? 0) > mostQueued) return void socket.destroy();
    before.setMaxListeners(0).once('close', () => {
      if (socket.writable) take(request, response);
    });
  };
}

/**
 * A target without what no client should send in it (RFC 9112, 3.2.1). With that behind it Express takes the beginning of
 * `//a@b/metrics` for a host, and serves `/metrics`, which a proxy that keeps it to itself has not seen there.
 */
const withoutFragment = (target: string): string => target.slice(0, target.indexOf('#'));

/**
 * Requests that wait behind others on one connection at most. Node.js holds back who sends ahead by the answers that wait to
 * be sent, and these have none yet.
 */
const mostQueued = 1_000;

/**
 * Whether a request changes nothing by its method. Others that a client sends without waiting for the answers are done one
 * after the other: what it asks for later must see what it changed before (RFC 9112, 9.3.2).
 */
function isSafe({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

const noHost = validationError({ field: 'Host', type: 'required' });
const badHost = validationError({ field: 'Host', type: 'invalid' });
const unknownExpectation = new AppError('VALIDATION_ERROR', 'Expectation failed', {
  kind: 'expectation_failed',
  details: { field: 'Expect', type: 'unsupported' },
});

/** `uri-host [ ":" port ]` of RFC 9110, 7.2. */
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d{0,5})?$/i;

/** Whether a length that HTTP/1.0 does not know says where the request ends (RFC 9112, 6.1). */
const isOddlyFramed = ({ httpVersion, headers }: Request): boolean =>
  httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;

/** As Node.js knows it, which has answered it by then. */
const knownExpectation = /(?:^|\W)100-continue(?:\W|$)/i;

/**
 * What is wrong with a head that could be read (RFC 9112, 3.2, and RFC 9110, 10.1.1). Of what comes twice Node.js tells
 * nothing, and what else it refuses it would answer without a body.
 */
function faultOf(request: Request): AppError | null {
  const repetition = repetitionIn(request);
  const { headers, httpVersion } = request;
  if (repetition || httpVersion !== '1.1') return repetition;
  if (headers.host === undefined) return noHost;
  if (!hostForm.test(headers.host)) return badHost;
  const { expect } = headers;
  return expect === undefined || knownExpectation.test(expect) ? null : unknownExpectation;
}

const quietRoutes = new Set(['/health/live', '/health/ready', '/metrics']);

interface Observers extends Pick<ListenerParts, 'metrics' | 'connections'> {
  requestLog: RequestLog;
}

function observe(request: Request, response: Response, observers: Observers): void {
  const { requestLog, metrics, connections } = observers;
  const startedMs = performance.now();
  request.requestId = requestIdOf(request.headers['x-request-id']);
  request.routeName = 'unmatched';
  request.originalUrl = request.url;
  const { socket } = request;
  socket.underWay = response;
  response.on('close', () => {
    if (socket.underWay === response) {
      socket.underWay = null;
      connections.noteIdle(socket);
    }
    if (socket.changing === response) socket.changing = null;
    const seconds = (performance.now() - startedMs) / 1000;
    const status = toldStatus(response);
    metrics.requestTimes.add(request.method, request.routeName, status, seconds);
    // Probes come every few seconds for ever: who wants them in the log asks for debug.
    const level = quietRoutes.has(request.routeName) ? 'debug' : 'info';
    requestLog(level, {
      requestId: request.requestId,
      method: request.method,
      path: pathOf(request),
      route: request.routeName,
      status,
      milliseconds: Math.round(seconds * 1e6) / 1e3,
      aborted: !response.writableFinished,
    });
  });
}

/** Null where no answer was begun, as for a client that has left: the 200 that Node.js begins with was told to nobody. */
function toldStatus({ headersSent, statusCode, refusalStatus }: Response): number | null {
  return headersSent ? statusCode : (refusalStatus ?? null);
}

/** What begins a query string, also as those write it who take the whole link for a path. */
const queryBeginning = /\?|%(?:25)*3f/i;

/** A payment provider's path with what is below it, also as those write it who send the whole address or another case. */
const belowProvider = new RegExp(`(${callbackPrefix}/[^/]*).*`, 'is');

/**
 * Without the query string, which may hold what clients should not have put there, and what links show their right with; and
 * without what stands behind the name of a payment provider, which may be a secret of its adapter's, wherever the call ends.
 */
function pathOf(request: Request): string {
  const { originalUrl } = request;
  const end = originalUrl.search(queryBeginning);
  const path = originalUrl.slice(0, end === -1 ? 200 : Math.min(end, 200));
  return withoutSecrets(path.replace(belowProvider, '$1'));
}
