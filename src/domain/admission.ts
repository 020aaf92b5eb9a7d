import { AppError, unauthorized } from '../errors.ts';
import type { Standing } from '../infrastructure/http/headers.ts';
import type { Searcher } from './flights/search.ts';
import type { Gateway } from './gateway.ts';
import { type OperationBucket, RequestCount } from './requestCount.ts';
import type { Caller } from './teams/access.ts';
import type { Scope } from './teams/scope.ts';
import type { Tenant } from './tenant.ts';

/** What an operation asks of its caller: declared with the operation, checked the same way at every door. */
export interface OperationRules {
  /** `operator` operations are closed to agencies' keys and the other way round. Of several, any one will do. */
  readonly scope: Scope | 'operator' | readonly Scope[];
  /** Open to test keys only. */
  readonly testOnly: boolean;
  /** Which rate limit counts it. */
  readonly bucket: OperationBucket;
  /** Creations honour Idempotency-Key; of a `secret` one, what is kept is sealed. */
  readonly creation: 'plain' | 'secret' | null;
}

/** A root operation, as it is admitted. */
export interface RootOperation {
  readonly name: string;
  readonly rules: OperationRules;
  /** Whether it changes nothing that the caller could tell. */
  readonly isRead: boolean;
}

/** One request at a door, and what became of it, which the door turns into headers. */
export interface RequestContext {
  readonly gateway: Gateway;
  readonly caller: Caller;
  /** Finds the request in the logs; null for operations over WebSockets, which share one request. */
  readonly requestId: string | null;
  idempotencyKey: string | null;
  /** How often it counts for the limits of its key. */
  readonly count: RequestCount;
  /** Characters of what it was answered so far. */
  answeredCharacters: number;
  /** Objects in that. */
  answeredObjects: number;
  /** The rules that the door has admitted the coming operation under already. */
  admitted: OperationRules | null;
  /** Whether an answer is an earlier one, repeated for its Idempotency-Key. */
  replayed: boolean;
  /** When a request that found something locked, or everything in use, may be sent again. */
  retryAfterSeconds?: number;
  /**
   * At doors that have it: work that must be done before the answer is sent, but not before it is written. Elsewhere
   * operations wait for such work themselves.
   */
  unfinished?: Promise<unknown> | null;
}

/** The context of a request of which nothing has been done but to find out who calls. */
export function newContext(gateway: Gateway, caller: Caller, requestId: string | null): RequestContext {
  return {
    gateway,
    caller,
    requestId,
    idempotencyKey: null,
    count: new RequestCount(gateway, caller.keyId),
    answeredCharacters: 0,
    answeredObjects: 0,
    admitted: null,
    replayed: false,
  };
}

/** What headers tell of what became of a request. */
export const standingOf = ({ count, replayed, retryAfterSeconds }: RequestContext): Standing => ({
  rateWindow: count.window,
  replayed,
  retryAfterSeconds,
});

/** Leaves work that the answer depends on to a door that waits for it. Resolves at once there, else when it is done. */
export async function leaveToDoor(work: Promise<unknown>, context: RequestContext): Promise<void> {
  if (context.unfinished === null) context.unfinished = work;
  else await work;
}

/**
 * Counts one request and lets it pass or not: at once where nothing has to be waited for.
 * @throws AppError 429 over the limit, 403 for a key without the scope.
 */
export function admit(rules: OperationRules, context: RequestContext): void | Promise<void> {
  const counted = context.count.add(rules.bucket);
  if (counted) return counted.then(() => checkScope(rules, context.caller));
  checkScope(rules, context.caller);
}

/**
 * Admits what changes something. One request may ask for many such, each of which waits for those before it: a key that was
 * revoked meanwhile begins nothing more.
 * @throws AppError 401, or as `admit`.
 */
function admitChange(rules: OperationRules, context: RequestContext): void | Promise<void> {
  const { caller, gateway } = context;
  const admitPresent = (present: Caller | null) => {
    if (!present) throw unauthorized();
    return admit(rules, context);
  };
  const present = gateway.access.callerOfHash(caller.keyHash);
  return present instanceof Promise ? present.then(admitPresent) : admitPresent(present);
}

/** Admits a root operation, and tells the metrics whether it was. @throws AppError as `admit` and `admitChange`. */
function admitOperation(
  { name, rules, isRead }: RootOperation,
  context: RequestContext,
): void | Promise<void> {
  const tally = context.gateway.platform.metrics.operations.of(name);
  const admitted = () => {
    tally.admitted += 1;
  };
  const refused = (error: unknown): never => {
    tally.refused += 1;
    throw error;
  };
  let admission: void | Promise<void>;
  try {
    admission = isRead ? admit(rules, context) : admitChange(rules, context);
  } catch (error) {
    return refused(error);
  }
  return admission ? admission.then(admitted, refused) : admitted();
}

/**
 * Runs a root operation once it is admitted. One that changes nothing that the caller could tell begins while Redis counts
 * the request, so that it does not wait twice; what comes of it is seen by nobody before the request is admitted.
 * @throws AppError as `admit` and `admitChange`, before anything that the work throws.
 */
export function runAdmitted<T>(
  operation: RootOperation,
  context: RequestContext,
  work: () => T | Promise<T>,
): T | Promise<T> {
  const admission = admitOperation(operation, context);
  if (!admission) return work();
  const { rules, isRead } = operation;
  if (!isRead || !mayBeginUncounted(rules, context)) return admission.then(work);
  const value = (async () => work())();
  // Whoever waits for it finds out; nobody does when the request is refused.
  value.catch(() => undefined);
  return admission.then(() => value);
}

/**
 * Whether a read may begin while its request is still being counted. Not for a caller whom it takes over the limit by what is
 * known here: however many searches one request asks for, suppliers are asked for no more than the window has left, and
 * beyond it only for what other processes have counted meanwhile.
 */
function mayBeginUncounted(rules: OperationRules, { caller, gateway }: RequestContext): boolean {
  return isPermitted(rules, caller) && !gateway.limiter.isSpent(rules.bucket, caller.keyId);
}

/** 403: the key may not do this. */
export function forbidden(): AppError {
  return new AppError('FORBIDDEN', 'Forbidden');
}

/** @throws AppError 403 "Forbidden" for a key without the scope, or a live one where only test keys may. */
function checkScope(rules: OperationRules, caller: Caller): void {
  if (!isPermitted(rules, caller)) throw forbidden();
}

/** Whether a key may run an operation at all, whatever it asks of it. */
export function isPermitted({ scope, testOnly }: OperationRules, { kind, scopes }: Caller): boolean {
  if (testOnly && kind !== 'test') return false;
  return typeof scope === 'string' ? scopes.has(scope) : scope.some((one) => scopes.has(one));
}

/** The team and mode that this request acts for. Operators have none, and no scope that would lead here. */
export function tenantOf(context: Pick<RequestContext, 'caller'>): Tenant {
  if (!context.caller.tenant) throw forbidden();
  return context.caller.tenant;
}

/** For whom this request searches flights. */
export function searcherOf(context: Pick<RequestContext, 'caller'>): Searcher {
  const { tenant, search } = context.caller;
  if (!tenant || !search) throw forbidden();
  return { tenant, settings: search };
}
