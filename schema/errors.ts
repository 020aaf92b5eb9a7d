import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { overloaded, overloadMet, overloadRetrySeconds } from '../src/domain/busy.ts';
import { AppError } from '../src/errors.ts';
import type { Log } from '../src/infrastructure/observability/log.ts';

/** The AppError behind an error of an execution; anything else is a fault of ours. */
export function appErrorOf(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const original = (error as { originalError?: unknown } | null)?.originalError;
  return original instanceof AppError ? original : null;
}

/**
 * Whether graphql itself refuses the request: a document that does not parse or fit, a missing variable. What it says
 * about a result, which has a path, is a fault of ours.
 */
export function isGraphqlRefusal(error: unknown): error is GraphQLError {
  if (!(error instanceof GraphQLError) || error.path) return false;
  return !error.originalError || error.originalError instanceof GraphQLError;
}

/** Whether an error is a fault of ours, and neither a refusal of ours nor one of graphql's. */
export const isFault = (error: unknown): boolean => !appErrorOf(error) && !isGraphqlRefusal(error);

/** 500: what clients see of a fault of ours. */
export const internalError = new AppError('INTERNAL_ERROR', 'Internal error');

/** The document holds no operation of that name, or several and none was named. */
export function unknownOperation(): GraphQLError {
  return new GraphQLError('Unknown operation: name one that the document defines', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  });
}

/** A syntax error under the code that Apollo Server has for it. */
export function parseFailed({ message, source, positions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, { source, positions, extensions: { code: 'GRAPHQL_PARSE_FAILED' } });
}

/** The request that an error came of, as far as it is known: what the logs say of it, and its headers. */
export type FailedRequest = Pick<RequestContext, 'requestId' | 'retryAfterSeconds'>;

/**
 * What clients are told of a fault of ours: none of its text. It is logged as `what`; a service that is only overloaded
 * says so, and when the request may be sent again.
 */
export function toldOfFault(fault: unknown, what: string, log: Log, request: FailedRequest | null): AppError {
  const error = (fault as { originalError?: unknown } | null)?.originalError ?? fault;
  const line = { err: error, ...(request?.requestId ? { requestId: request.requestId } : {}) };
  const overload = overloadMet(error);
  if (overload === null) {
    log.error(line, what);
    return internalError;
  }
  log.warn(line, `${what}: ${overload}`);
  if (request) request.retryAfterSeconds = overloadRetrySeconds;
  return overloaded;
}

/** The error that clients may see: faults of ours are logged, and what `toldOfFault` says takes their place. */
export function disclosed(error: unknown, log: Log, request: FailedRequest | null): GraphQLError {
  if (!isFault(error)) return error as GraphQLError;
  const { path, locations } = error as GraphQLError;
  return Object.assign(wrap(toldOfFault(error, 'operation failed', log, request)), { path, locations });
}

/**
 * An error as GraphQL clients get it: message, `extensions.code` and `extensions.details`, with path and locations.
 * Faults of ours are logged and reach clients without their text.
 */
export function renderError(error: unknown, log: Log, request: FailedRequest | null): GraphQLFormattedError {
  const shown = disclosed(error, log, request);
  const appError = appErrorOf(shown);
  const extensions = appError
    ? { code: appError.code, details: appError.details }
    : { code: shown.extensions?.code ?? 'GRAPHQL_VALIDATION_FAILED' };
  return { message: appError?.message ?? shown.message, ...positionOf(shown), extensions };
}

function positionOf(error: unknown): Pick<GraphQLFormattedError, 'path' | 'locations'> {
  const { path, locations } = error as {
    path?: GraphQLFormattedError['path'];
    locations?: GraphQLFormattedError['locations'];
  };
  return { ...(locations?.length ? { locations } : {}), ...(path ? { path } : {}) };
}

/** An error of the request as a whole, in the form in which executions report theirs. */
export function wrap(error: unknown): GraphQLError {
  const { message } = error as Error;
  return error instanceof GraphQLError ? error : new GraphQLError(message, { originalError: error as Error });
}
