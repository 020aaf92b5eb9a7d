import type { Bucket, RateWindow } from '../infrastructure/rateLimiter.ts';
import { AppError } from './errors.ts';
import type { Gateway } from './gateway.ts';
import type { Caller } from './teams/access.ts';
import type { Scope } from './teams/scope.ts';
import type { Tenant } from './tenant.ts';

/** What an operation asks of its caller: declared with the operation, checked the same way at every door. */
export interface OperationRules {
  /** `operator` operations are closed to agencies' keys and the other way round. */
  readonly scope: Scope | 'operator';
  /** Which rate limit counts it. */
  readonly bucket: Extract<Bucket, 'search' | 'bookings' | 'default'>;
  /** Creations honour Idempotency-Key; a `secret` one keeps its answer sealed. */
  readonly creation: 'plain' | 'secret' | null;
}

/** One request at a door, and what became of it: the doors turn the last four into headers. */
export interface RequestContext {
  readonly gateway: Gateway;
  readonly caller: Caller;
  readonly idempotencyKey: string | null;
  /** The window that the latest operation was counted in. */
  rateWindow: RateWindow | null;
  /** The rules that the door has admitted the coming operation under already. */
  admitted: OperationRules | null;
  /** Whether an answer is an earlier one, repeated for its Idempotency-Key. */
  replayed: boolean;
}

/**
 * Counts one operation and lets it pass or not.
 * @throws AppError 429 over the limit, 403 for a key without the scope.
 */
export async function admit(rules: OperationRules, context: RequestContext): Promise<void> {
  await countRequest(rules.bucket, context);
  checkScope(rules, context.caller);
}

/** Counts one request of this caller. @throws AppError 429 over the limit. */
export async function countRequest(bucket: Bucket, context: RequestContext): Promise<void> {
  const window = await context.gateway.limiter.consume(bucket, context.caller.keyId);
  context.rateWindow = window;
  if (window.allowed) return;
  context.gateway.metrics.rateLimited.inc({ bucket });
  throw rateLimitExceeded();
}

export function rateLimitExceeded(): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', 'Rate limit exceeded');
}

export function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'Unauthorized');
}

/** @throws AppError 403 "Forbidden" for a key without the scope. */
export function checkScope(rules: Pick<OperationRules, 'scope'>, caller: Caller): void {
  if (!caller.scopes.has(rules.scope)) throw new AppError('FORBIDDEN', 'Forbidden');
}

/** The team and mode that this request acts for. Operators have none, and no scope that would lead here. */
export function tenantOf(context: Pick<RequestContext, 'caller'>): Tenant {
  if (!context.caller.tenant) throw new AppError('FORBIDDEN', 'Forbidden');
  return context.caller.tenant;
}
