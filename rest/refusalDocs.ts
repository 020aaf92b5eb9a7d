import type { ErrorCode } from '../src/errors.ts';
import { type CodeOfOneStatus, statusOfEach, usualCodeOf } from './errors.ts';
import type { JsonSchema } from './namedSchemas.ts';

/** A refusal as the documentation tells of it: by its status, or by its code where that is not the status's usual one. */
export type DocumentedRefusal = { readonly message: string } & (
  | { readonly status: number }
  | { readonly code: CodeOfOneStatus }
);

interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
}

const refusalOf = (documented: DocumentedRefusal): Refusal =>
  'code' in documented
    ? { ...documented, status: statusOfEach(documented.code) }
    : { ...documented, code: usualCodeOf(documented.status) };

const ofAll: readonly DocumentedRefusal[] = [
  { status: 400, message: 'Invalid request parameters' },
  { status: 401, message: 'Unauthorized' },
  { status: 403, message: 'Forbidden' },
  { status: 429, message: 'Rate limit exceeded' },
  { status: 500, message: 'Internal error' },
  { status: 500, message: 'Service overloaded' },
];

const ofWrites: readonly DocumentedRefusal[] = [
  { status: 409, message: 'Another request is still in progress' },
];

const ofCreations: readonly DocumentedRefusal[] = [
  { status: 409, message: 'A request with this Idempotency-Key is still in progress' },
  { status: 422, message: 'Idempotency-Key was used for a different request' },
];

/** Every refusal of an endpoint, by status, lowest first. */
export function refusalsByStatus(
  own: readonly DocumentedRefusal[],
  { isRead, isCreation }: { isRead: boolean; isCreation: boolean },
): [status: number, refusals: Refusal[]][] {
  const byStatus = new Map<number, Refusal[]>();
  const all = [...ofAll, ...own, ...(isRead ? [] : ofWrites), ...(isCreation ? ofCreations : [])];
  for (const refusal of all.map(refusalOf)) {
    byStatus.set(refusal.status, [...(byStatus.get(refusal.status) ?? []), refusal]);
  }
  return [...byStatus].sort(([one], [other]) => one - other);
}

/** The body of each refusal by its message: a schema alone does not say which code goes with which message. */
export function refusalExamples(refusals: readonly Refusal[]): JsonSchema {
  const bodyOf = ({ code, message }: Refusal) => ({
    success: false,
    error: { code, message, details: {} },
  });
  return Object.fromEntries(refusals.map((refusal) => [refusal.message, { value: bodyOf(refusal) }]));
}
