import type { Request, Response } from 'express';
import { execute } from 'graphql';
import type { RequestContext } from '../../src/domain/admission.ts';
import type { Gateway } from '../../src/domain/gateway.ts';
import { validationError, wrongMethod } from '../../src/errors.ts';
import type { DirectHandler } from '../../src/infrastructure/http/directRoutes.ts';
import { bodyOf, contextOf } from '../callers.ts';
import { appErrorOf, isFault, toldOfFault, wrap } from '../errors.ts';
import { countAnswer, sizedAnswer } from './answerSize.ts';
import { refusalAnswer, sendAnswer, setContextHeaders } from './answers.ts';
import { askedIn } from './askedOperation.ts';
import { subscribeTexts } from './eventTexts.ts';
import { heartbeatMs } from './heartbeat.ts';
import type { OperationRequest, Prepare } from './preparation.ts';
import { counted, isRefused } from './preparation.ts';
import { shownResult } from './shownResult.ts';

/** A member of the request; GET requests spell objects as JSON text. @throws AppError 400 */
function objectOf(value: unknown, field: string): Record<string, unknown> | undefined {
  let object = value;
  if (typeof value === 'string') {
    try {
      object = JSON.parse(value);
    } catch {
      throw validationError({ field, type: 'malformed_json' });
    }
  }
  if (object === undefined || object === null) return undefined;
  if (typeof object !== 'object' || Array.isArray(object)) throw validationError({ field, type: 'invalid' });
  return object as Record<string, unknown>;
}

/** @throws AppError 400 for anything that is no GraphQL request. */
async function operationOf(
  request: Request,
  response: Response,
  context: RequestContext,
): Promise<OperationRequest> {
  const given = request.method === 'GET' ? request.query : await bodyOf(request, response, context);
  const { query, operationName, variables } = objectOf(given ?? {}, 'body') ?? {};
  if (typeof query !== 'string') throw validationError({ field: 'query', type: 'required' });
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw validationError({ field: 'operationName', type: 'invalid' });
  }
  // In a query string an empty name is none (GraphQL over HTTP, §5.2).
  const name = request.method === 'GET' && operationName === '' ? null : operationName;
  return { query, operationName: name, variables: objectOf(variables, 'variables') };
}

/** `data` is JSON, which has no line breaks. */
function eventText(name: 'next' | 'complete', data?: string): string {
  return `event: ${name}\ndata:${data === undefined ? '' : ` ${data}`}\n\n`;
}

/** Writes, and waits for a slow reader: what it does not read is not fetched. @returns whether anyone still listens. */
function write(response: Response, text: string): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  if (response.write(text)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve(!response.destroyed);
    };
    response.on('drain', settle).on('close', settle);
  });
}

/** Rendered results as JSON. */
type Results = AsyncIterableIterator<string> | string[];

/** What ends a stream early, as a last result; faults of ours cut it instead, so that clients come back and resume. */
async function* withRefusal(results: Results, context: RequestContext): AsyncGenerator<string> {
  try {
    yield* results;
  } catch (error) {
    if (!appErrorOf(error)) throw error;
    yield JSON.stringify(shownResult({ errors: [wrap(error)] }, context));
  }
}

async function send(results: Results, response: Response, context: RequestContext): Promise<void> {
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(':\n\n');
  }, heartbeatMs);
  try {
    // Some browsers report an open stream only once it has a body.
    let open = await write(response, ':\n\n');
    for await (const result of withRefusal(results, context)) {
      open = open && (await write(response, eventText('next', result)));
      if (!open) return;
    }
    response.end(eventText('complete'));
  } finally {
    clearInterval(heartbeat);
  }
}

/** Errors that answer a request of which nothing ran. */
class Refusals extends Error {
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    super('refused');
    this.errors = errors;
  }
}

/** The results of what was asked for. @throws Refusals or AppError when nothing ran. */
async function resultsOf(
  request: Request,
  response: Response,
  context: RequestContext,
  prepare: Prepare,
): Promise<Results> {
  const operation = await operationOf(request, response, context);
  const args = await prepare(operation, context);
  if (isRefused(args)) throw new Refusals(args);
  const asked = askedIn(args);
  const kind = asked?.operation.operation;
  if (kind === 'mutation' && request.method === 'GET') {
    response.setHeader('Allow', 'POST');
    throw wrongMethod;
  }
  const result = await (kind === 'subscription' ? subscribeTexts(operation.query, args) : execute(args));
  if (Symbol.asyncIterator in result) return result;
  const fault = result.errors?.find(isFault);
  // As a last result it would end the subscription for good.
  if (fault && kind === 'subscription') throw fault;
  const shown = shownResult(await counted(result, context), context);
  const { text } = await sizedAnswer(shown, asked, context);
  await countAnswer(context);
  return [text];
}

export interface EventStreams {
  /** Whether a request, of a method that operations are run by, prefers its results as events. */
  wants(request: Request): boolean;
  handler: DirectHandler;
  /** Cuts the open streams: without `complete`, so that clients come back and resume. */
  close(): void;
}

/**
 * Serves the distinct connections of graphql-sse: a request to /graphql that prefers text/event-stream gets its results
 * as `next` events and a `complete` one. Requests that are refused before anything ran get JSON.
 */
export function createEventStreams(prepare: Prepare, gateway: Gateway): EventStreams {
  const open = new Set<Response>();
  let closed = false;
  const handler = async (request: Request, response: Response): Promise<void> => {
    request.routeName = '/graphql (event stream)';
    let context: RequestContext | null = null;
    let results: Results;
    try {
      context = await contextOf(request, response, gateway);
      results = await resultsOf(request, response, context, prepare);
    } catch (error) {
      const errors = error instanceof Refusals ? error.errors : [error];
      return sendAnswer(
        response,
        await refusalAnswer(errors, context, response, gateway.platform.log),
        context,
      );
    }
    setContextHeaders(response, context);
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    // Reverse proxies must not hold events back, nor those that compress: they wait until there is enough of it.
    response.setHeader('X-Accel-Buffering', 'no');
    response.setHeader('Cache-Control', 'no-store, no-transform');
    if (!Array.isArray(results)) {
      const stream = results;
      // A client that left in the meantime will not be told of again.
      if (response.destroyed) return void (await stream.return?.());
      open.add(response);
      response.once('close', () => {
        open.delete(response);
        stream.return?.().catch(() => undefined);
      });
      if (closed) response.destroy();
    }
    await send(results, response, context);
  };
  return {
    wants(request) {
      const { accept } = request.headers;
      if (request.method !== 'GET' && request.method !== 'POST') return false;
      if (accept === undefined || !/text\//i.test(accept)) return false;
      return request.accepts(['json', 'text/event-stream']) === 'text/event-stream';
    },
    handler(request, response) {
      handler(request, response).catch((error) => {
        toldOfFault(error, 'event stream failed', gateway.platform.log, { requestId: request.requestId });
        response.destroy();
      });
    },
    close() {
      closed = true;
      for (const response of open) response.destroy();
    },
  };
}
