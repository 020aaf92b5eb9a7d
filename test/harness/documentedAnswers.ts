import { readFileSync } from 'node:fs';

/** What the OpenAPI document says of the answers of each operation: of refusals an example by each one's message. */
interface DocumentedAnswer {
  headers: Record<string, unknown>;
  content: { 'application/json': { examples?: Record<string, { value: unknown }> } };
}
type Paths = Record<string, Record<string, { responses: Record<string, DocumentedAnswer> }>>;

const document = JSON.parse(readFileSync(new URL('../../rest/openapi.json', import.meta.url), 'utf8'));

const operations = Object.entries(document.paths as Paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    method: method.toUpperCase(),
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

function exemplified(
  { code, message }: { code: string; message: string },
  documented?: DocumentedAnswer,
): boolean {
  const { examples } = documented?.content['application/json'] ?? {};
  const example = examples?.[message]?.value as { error?: { code: string; message: string } } | undefined;
  return example?.error?.code === code && example.error.message === message;
}

interface Refusal {
  code: string;
  message: string;
  details: { errors?: object[] };
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
    ...(error && !exemplified(error, documented) ? [`${error.code} "${error.message}"`] : []),
    ...faults.flatMap((fault) => Object.keys(fault).filter((name) => !faultMembers.includes(name))),
    ...[...headers.keys()].filter((name) => isSpoken(name) && !documentedHeaders.includes(name)),
  ];
  if (missing.length > 0)
    throw new Error(
      `rest/openapi.json has no ${status} with ${missing.join(', ')} for ${method} ${path}: its route's refusals say what it alone refuses`,
    );
}
