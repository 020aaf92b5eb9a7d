import { readFileSync } from 'node:fs';

/** What the OpenAPI document says of the statuses of each operation: its messages, with dots between. */
type Paths = Record<string, Record<string, { responses: Record<string, { description: string }> }>>;

const document = JSON.parse(readFileSync(new URL('../../rest/openapi.json', import.meta.url), 'utf8'));

const operations = Object.entries(document.paths as Paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    method: method.toUpperCase(),
    // Any id will do, a broken one too.
    pattern: new RegExp(`^/api/v1${path.replace(/\{\w+\}/g, '[^/?]+')}(\\?|$)`),
    responses,
  })),
);

/**
 * Clients read in the OpenAPI document which refusals they must expect: whatever a test is refused with has to stand there.
 * @throws Error for a refusal of an endpoint that its documentation does not name.
 */
export function expectDocumented(method: string, path: string, status: number, body: unknown): void {
  const operation = operations.find((one) => one.method === method && one.pattern.test(path));
  const { error } = (body ?? {}) as { error?: { message: string } };
  if (!operation || !error) return;
  const messages = operation.responses[status]?.description.split(' · ') ?? [];
  if (!messages.includes(error.message))
    throw new Error(`rest/openapi.json has no ${status} "${error.message}" for ${method} ${path}`);
}
