import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** What the OpenAPI document says of the answers of each operation: of refusals an example of each with each kind of details. */
interface DocumentedAnswer {
  headers: Record<string, unknown>;
  content: { 'application/json': { schema: object; examples?: Record<string, { value: unknown }> } };
}
type Paths = Record<string, Record<string, { responses: Record<string, DocumentedAnswer> }>>;

const text = readFileSync(new URL('../../rest/openapi.json', import.meta.url), 'utf8');
const document = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
const $defs = document.components.schemas;

const operations = Object.entries(document.paths as Paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    method: method.toUpperCase(),
    path,
    // Any id will do, a broken one too.
    pattern: new RegExp(`^/api/v1${path.replace(/\{\w+\}/g, '[^/?]+')}(\\?|$)`),
    responses,
  })),
);

const faultMembers = Object.keys(document.components.schemas.FieldFault.properties);

const headerNames = Object.keys(document.components.headers as object).map((name) => name.toLowerCase());

/** Of every answer of a server that is careful, and nothing to a client. */
const unspoken = 'x-content-type-options';

const isSpoken = (name: string) => headerNames.includes(name) || (name.startsWith('x-') && name !== unspoken);

interface Refusal {
  code: string;
  message: string;
  details: { errors?: object[] };
}

/** Of what members and types a value is; of bad fields, which are any number of any kind, only that they are there. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return typeof value;
  const members = Object.entries(value).map(([name, member]) => [name, shapeOf(member)]);
  return Object.fromEntries(members.sort());
}

function exemplified({ code, message, details }: Refusal, documented?: DocumentedAnswer): boolean {
  const examples = Object.values(documented?.content['application/json'].examples ?? {});
  return examples.some(({ value }) => {
    const { error } = value as { error: Refusal };
    return (
      error.code === code &&
      error.message === message &&
      isDeepStrictEqual(shapeOf(error.details), shapeOf(details))
    );
  });
}

const checks = new WeakMap<DocumentedAnswer, z.ZodType>();

function checkOf(documented: DocumentedAnswer): z.ZodType {
  const known = checks.get(documented);
  if (known) return known;
  const check = z.fromJSONSchema({ ...documented.content['application/json'].schema, $defs });
  checks.set(documented, check);
  return check;
}

const faultsOf = (documented: DocumentedAnswer | undefined, body: unknown): string[] => {
  const error = documented && checkOf(documented).safeParse(body).error;
  return (error?.issues ?? []).map(({ path }) => path.join('.'));
};

/** Where an answer is not as the document says of an operation and status, formats and patterns of texts included. */
export function answerFaults(method: string, path: string, status: number, body: unknown): string[] {
  const operation = operations.find((one) => one.method === method && one.path === path);
  return faultsOf(operation?.responses[status], body);
}

/**
 * Clients read in the OpenAPI document which refusals, faults and headers they must expect: whatever a test is answered has to
 * stand there.
 * @throws Error for a refusal, header or member of a fault of an endpoint that its documentation does not name.
 */
export function expectDocumented(
  method: string,
  path: string,
  { status, headers, body }: { status: number; headers: Headers; body: unknown },
): void {
  const operation = operations.find((one) => one.method === method && one.pattern.test(path));
  if (!operation) return;
  const documented = operation.responses[status];
  const { error } = (body ?? {}) as { error?: Refusal };
  const documentedHeaders = Object.keys(documented?.headers ?? {}).map((name) => name.toLowerCase());
  const faults = error?.details.errors ?? [];
  const missing = [
    ...faultsOf(documented, body).map((place) => `${place} as it was answered`),
    ...(error && !exemplified(error, documented)
      ? [`${error.code} "${error.message}" and the details ${JSON.stringify(error.details)}`]
      : []),
    ...faults.flatMap((fault) => Object.keys(fault).filter((name) => !faultMembers.includes(name))),
    ...[...headers.keys()].filter((name) => isSpoken(name) && !documentedHeaders.includes(name)),
  ];
  if (missing.length > 0)
    throw new Error(
      `rest/openapi.json has no ${status} with ${missing.join(', ')} for ${method} ${path}: its route's refusals say what it alone refuses`,
    );
}
