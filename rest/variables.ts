import type { GraphQLInputType } from 'graphql';
import { getNullableType, isNonNullType, isScalarType } from 'graphql';
import type { Variable } from '../schema/coercion.ts';
import { validationError } from '../src/errors.ts';

/** Whether a request must have it. */
export const isRequired = ({ type, hasDefault }: Variable): boolean => isNonNullType(type) && !hasDefault;

/** Where a request's fields come from: path parameters always, the query string for GET only, the body otherwise. */
export interface RequestParts {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/**
 * The raw value of each variable by name. Query strings carry text, so counts are read from it; what does not read
 * as one stays text and is refused with the other bad fields.
 * @throws AppError 400 for a body that is no JSON object.
 */
export function rawVariables(
  variables: readonly Variable[],
  method: string,
  { path, query, body }: RequestParts,
): Record<string, unknown> {
  if (method === 'get') return { ...fromQuery(variables, query), ...path };
  return { ...bodyMembers(body), ...path };
}

/**
 * The members of a body; none when there is no body, or null, which clients such as axios write where they are given none.
 * @throws AppError 400 for a body that is no JSON object.
 */
export function bodyMembers(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw validationError({ field: 'body', type: 'not_an_object' });
  }
  return body as Record<string, unknown>;
}

function fromQuery(
  variables: readonly Variable[],
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  for (const { name, type } of variables) {
    const text = Object.hasOwn(query, name) ? query[name] : undefined;
    if (text !== undefined) raw[name] = typeof text === 'string' ? fromText(text, type) : text;
  }
  return raw;
}

function fromText(text: string, type: GraphQLInputType): unknown {
  return isCount(type) && /^\d+$/.test(text) ? Number(text) : text;
}

/** Whether values are whole numbers in JSON, as OpenAPI documents them; all scalars of that kind start at 1. */
function isCount(type: GraphQLInputType): boolean {
  const nullable = getNullableType(type);
  return isScalarType(nullable) && (nullable.extensions.openapi as { type?: unknown })?.type === 'integer';
}
