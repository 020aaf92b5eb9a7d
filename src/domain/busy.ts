import { AppError } from '../errors.ts';
import { noConnectionCame } from '../infrastructure/database/database.ts';
import { waitedTooLong } from '../infrastructure/database/sqlState.ts';
import { NoTurnCame } from '../infrastructure/turns.ts';
import type { RequestContext } from './admission.ts';

/**
 * 409 for what could not be done because another request holds what it needs, the wallet as a rule, for longer than
 * anyone should wait. Nothing was written and the refusal is not kept for the Idempotency-Key, so the same request may
 * be sent again.
 */
export class Busy extends AppError {
  /** What Retry-After says. The wait before was long, so the next one may well be short. */
  readonly retryAfterSeconds = 1;

  constructor(message: string, field?: string) {
    super('VALIDATION_ERROR', message, {
      kind: 'conflict',
      details: { ...(field === undefined ? {} : { field }), type: 'in_progress' },
    });
  }
}

export const otherInProgress = () => new Busy('Another request is still in progress');

/**
 * What a client is told of a write that failed with `error`: that it may try again, where it gave up waiting for a lock.
 * Every write is one statement or one transaction, so nothing of it was written.
 */
export function toldOfWrite(error: unknown, context: RequestContext): unknown {
  let told = error;
  if (waitedTooLong(error)) {
    const { gateway, requestId } = context;
    // Nobody should hold anything for so long: whoever runs the service wants to know.
    gateway.platform.log.warn({ err: error, requestId }, 'gave up waiting for a lock');
    told = otherInProgress();
  }
  if (told instanceof Busy) context.retryAfterSeconds = told.retryAfterSeconds;
  return told;
}

/**
 * 500 for what could not be done because all connections to the database were in use for longer than anyone should
 * wait, or something was locked that is read: no fault of the request, which may be sent again. SPEC has no other status
 * for it, so the details say it.
 */
export const overloaded = new AppError('INTERNAL_ERROR', 'Service overloaded', {
  details: { type: 'overloaded' },
});

/** What the log says of a request that failed for nothing but that, or for what else its team asked for at the same time. */
export function overloadMet(error: unknown): string | null {
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const met = parts.map(overloadOf);
  return met.includes(null) ? null : (met[0] ?? null);
}

function overloadOf(error: unknown): string | null {
  if (noConnectionCame(error)) return 'no connection to the database came free';
  // Of a write the client is told that it is in progress.
  if (waitedTooLong(error)) return 'something else held what it reads for too long';
  return error instanceof NoTurnCame ? 'its team had too much long work under way' : null;
}

/** What Retry-After says to who met an overload. */
export const overloadRetrySeconds = 1;
