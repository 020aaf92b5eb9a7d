import { messageOf } from '../schema/coercion.ts';
import { internalError } from '../schema/errors.ts';
import { spellingOf, spelt } from '../schema/inputFaults.ts';
import { forbidden } from '../src/domain/admission.ts';
import { otherInProgress, overloaded } from '../src/domain/busy.ts';
import { keyInProgress, keyReused } from '../src/domain/idempotency/refusals.ts';
import type { AppError, FieldFault } from '../src/errors.ts';
import { invalidParameters, RateLimitExceeded, unauthorized, validationError } from '../src/errors.ts';
import { errorBody } from './envelope.ts';
import { statusOf } from './errors.ts';
import type { PreparedRoute } from './handler.ts';
import type { JsonSchema } from './namedSchemas.ts';
import { isRequired } from './variables.ts';

const ofAll: readonly AppError[] = [
  unauthorized(),
  forbidden(),
  new RateLimitExceeded(),
  internalError,
  overloaded,
];

const ofWrites: readonly AppError[] = [otherInProgress()];

const ofCreations: readonly AppError[] = [keyInProgress(), keyReused()];

/** Every refusal of an endpoint, by status, lowest first, each as clients are answered it. */
export function refusalsByStatus(prepared: PreparedRoute): [status: number, refusals: AppError[]][] {
  const { route, root, rules, isRead } = prepared;
  const byStatus = new Map<number, AppError[]>();
  const spelling = spellingOf(root.node, root.definition);
  const own = (route.refusals ?? []).map((refusal) => spelt(refusal, spelling));
  const badRequest = validationError(likelyFaults(prepared));
  const more = [...(isRead ? [] : ofWrites), ...(rules.creation ? ofCreations : [])];
  for (const refusal of [badRequest, ...ofAll, ...own, ...more]) {
    const status = statusOf(refusal);
    byStatus.set(status, [...(byStatus.get(status) ?? []), refusal]);
  }
  return [...byStatus].sort(([one], [other]) => one - other);
}

/** What a request gets wrong that sends nothing where something is asked for, or else something that cannot be read. */
function likelyFaults({ root: { variables }, inPath }: PreparedRoute): FieldFault[] {
  const own = variables.filter(({ name }) => !inPath.has(name));
  const required = own.filter(isRequired);
  if (required.length > 0) return required.map(({ name }) => ({ field: name, type: 'required' }));
  const optional = own.find(({ type }) => messageOf(type) === invalidParameters);
  if (optional) return [{ field: optional.name, type: 'invalid' }];
  return [variables.length > 0 ? { field: 'path', type: 'invalid' } : { field: 'Host', type: 'required' }];
}

/** The messages of refusals with one status, each once. */
export const messagesOf = (refusals: readonly AppError[]): string[] => [
  ...new Set(refusals.map(({ message }) => message)),
];

/**
 * The body of each refusal by its message, those with the same message numbered: a schema alone does not say which code and
 * details go with which message.
 */
export function refusalExamples(refusals: readonly AppError[]): JsonSchema {
  const named = refusals.map((refusal, index) => {
    const before = refusals.slice(0, index).filter(({ message }) => message === refusal.message).length;
    const name = before === 0 ? refusal.message : `${refusal.message} (${before + 1})`;
    return [name, { value: errorBody(refusal) }];
  });
  return Object.fromEntries(named);
}
