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

/** Whether graphql itself refuses the request: a document that does not parse or fit, a missing variable. */
export function isGraphqlRefusal(error: unknown): error is GraphQLError {
  return (
    error instanceof GraphQLError && (!error.originalError || error.originalError instanceof GraphQLError)
  );
}

/** 500: what clients see of a fault of ours. */
export const internalError = new AppError('INTERNAL_ERROR', 'Internal error');

/**
 * An error as GraphQL clients get it: message, `extensions.code` and `extensions.details`, with path and locations.
 * Faults of ours are logged and reach clients without their text.
 */
export function renderError(error: unknown, log: Log): GraphQLFormattedError {
  const appError = appErrorOf(error);
  const position = positionOf(error);
  if (appError) {
    const { code, details, message } = appError;
    return { message, ...position, extensions: { code, details } };
  }
  if (isGraphqlRefusal(error)) {
    const { code } = error.extensions;
    return { message: error.message, ...position, extensions: { code: code ?? 'GRAPHQL_VALIDATION_FAILED' } };
  }
  log.error({ err: (error as { originalError?: unknown }).originalError ?? error }, 'operation failed');
  return {
    message: internalError.message,
    ...position,
    extensions: { code: internalError.code, details: {} },
  };
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
