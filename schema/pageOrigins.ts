import type { Request } from 'express';
import type { Settings } from '../src/config.ts';

/**
 * Whether a page of this origin may call with a key of the domains, or there is none: browsers leave that to the server where
 * WebSockets are concerned. What is no browser names no origin. Pages of the service's own host may call, as GraphiQL does;
 * proxies often tell of neither its port nor its scheme.
 */
export function isFromAuthorizedPage(
  { headers: { origin }, hostname }: Pick<Request, 'headers' | 'hostname'>,
  domains: readonly string[],
  { PUBLIC_URL }: Pick<Settings, 'PUBLIC_URL'>,
): boolean {
  if (origin === undefined || domains.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const isPublic = PUBLIC_URL !== undefined && origin === new URL(PUBLIC_URL).origin;
  return isPublic || new URL(origin).hostname === hostname;
}
