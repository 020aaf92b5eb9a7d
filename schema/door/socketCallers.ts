import type { Request } from 'express';
import type { Settings } from '../../src/config.ts';
import type { RequestContext } from '../../src/domain/admission.ts';
import { forbidden, newContext } from '../../src/domain/admission.ts';
import type { Gateway } from '../../src/domain/gateway.ts';
import { identify } from '../../src/domain/identification.ts';
import { withoutSecrets } from '../../src/infrastructure/observability/log.ts';
import { urlOf } from '../../src/infrastructure/urlOf.ts';

/** Who asks for operations over WebSockets, and from where. */

/** Longest that is told of an origin, in characters: few are longer than a host's name may be. */
const longestOrigin = 300;

/**
 * Whether a page of this origin may call with a key of the domains, or there is none: browsers leave that to the server where
 * WebSockets are concerned. What is no browser names no origin. Pages of the service's own host may call, as GraphiQL does;
 * proxies often tell of neither its port nor its scheme.
 */
function isFromAuthorizedPage(
  { headers: { origin }, hostname }: Pick<Request, 'headers' | 'hostname'>,
  domains: readonly string[],
  { PUBLIC_URL }: Pick<Settings, 'PUBLIC_URL'>,
): boolean {
  if (origin === undefined || domains.includes(origin)) return true;
  const page = urlOf(origin);
  if (!page) return false;
  const isPublic = PUBLIC_URL !== undefined && origin === new URL(PUBLIC_URL).origin;
  return isPublic || page.hostname === hostname;
}

function authorizationOf(parameters: Record<string, unknown> | undefined, request: Request) {
  const given = parameters?.Authorization ?? parameters?.authorization ?? request.headers.authorization;
  return typeof given === 'string' ? given : undefined;
}

/**
 * A context of its own for each operation: the key is looked at anew, so a revoked one starts nothing.
 * @throws AppError 401
 */
export async function operationContext(
  parameters: Record<string, unknown> | undefined,
  request: Request,
  gateway: Gateway,
): Promise<RequestContext> {
  const caller = await identify(authorizationOf(parameters, request), () => request.ip ?? '', gateway);
  return newContext(gateway, caller, null);
}

/** @throws AppError 403 for a page that may not call with the key. */
export function checkPage(request: Request, { caller, gateway }: RequestContext): void {
  const { settings, log } = gateway.platform;
  if (isFromAuthorizedPage(request, caller.corsDomains, settings)) return;
  // Browsers write it, and whoever is none may write anything.
  const origin = withoutSecrets(request.headers.origin?.slice(0, longestOrigin) ?? '');
  log.info({ origin, keyId: caller.keyId }, 'websocket of a page of another origin');
  throw forbidden();
}

/**
 * The Idempotency-Key of one operation, which has no headers of its own: a member of the request's `extensions`, spelt in
 * any case as a header is. What is no text, or comes twice, is taken for an empty one, which creations refuse: passed over,
 * it would let them happen twice.
 */
export function idempotencyKeyOf({
  extensions,
}: {
  extensions?: Record<string, unknown> | null;
}): string | null {
  if (!extensions) return null;
  const names = Object.keys(extensions).filter((name) => name.toLowerCase() === 'idempotency-key');
  if (names.length > 1) return '';
  const given = names.length === 0 ? null : (extensions[names[0]!] ?? null);
  return given === null || typeof given === 'string' ? given : '';
}
