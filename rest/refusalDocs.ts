import type { ErrorCode } from '../src/domain/errors.ts';
import type { JsonSchema } from './namedSchemas.ts';

/** A refusal as the documentation tells of it. */
export interface DocumentedRefusal {
  readonly status: number;
  readonly message: string;
  /** Where it is not the one that the status has otherwise. */
  readonly code?: ErrorCode;
}

const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'INTERNAL_ERROR',
};

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
): [status: number, refusals: DocumentedRefusal[]][] {
  const byStatus = new Map<number, DocumentedRefusal[]>();
  const all = [...ofAll, ...own, ...(isRead ? [] : ofWrites), ...(isCreation ? ofCreations : [])];
  for (const refusal of all) {
    byStatus.set(refusal.status, [...(byStatus.get(refusal.status) ?? []), refusal]);
  }
  return [...byStatus].sort(([one], [other]) => one - other);
}

/** The body of each refusal by its message: a schema alone does not say which code goes with which message. */
export function refusalExamples(refusals: readonly DocumentedRefusal[]): JsonSchema {
  const bodyOf = ({
    status,
    message,
    code = codeOfStatus[status] ?? 'VALIDATION_ERROR',
  }: DocumentedRefusal) => ({
    success: false,
    error: { code, message, details: {} },
  });
  return Object.fromEntries(refusals.map((refusal) => [refusal.message, { value: bodyOf(refusal) }]));
}
