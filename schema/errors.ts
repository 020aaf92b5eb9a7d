import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import { AppError } from '../src/domain/errors.ts';
import type { Log } from '../src/infrastructure/log.ts';

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

/** 500: what clients see of a fault of ours. */
export const internalError = new AppError('INTERNAL_ERROR', 'Internal error');

/** The error that clients may see: faults of ours are logged, and an internal error takes their place. */
export function disclosed(error: unknown, log: Log, requestId: string | null = null): GraphQLError {
  if (appErrorOf(error) || isGraphqlRefusal(error)) return error as GraphQLError;
  const { originalError, path, locations } = error as GraphQLError;
  log.error({ err: originalError ?? error, ...(requestId ? { requestId } : {}) }, 'operation failed');
  return Object.assign(wrap(internalError), { path, locations });
}

/**
 * An error as GraphQL clients get it: message, `extensions.code` and `extensions.details`, with path and locations.
 * Faults of ours are logged and reach clients without their text.
 */
export function renderError(error: unknown, log: Log, requestId?: string | null): GraphQLFormattedError {
  const shown = disclosed(error, log, requestId);
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
