import type { Request } from 'express';

/**
 * The way from a page to what this server has at `/`. A proxy may have put it all below a path of its own, of which it tells
 * nobody.
 */
export function pageRoot({ originalUrl }: Request): string {
  const base = 'http://localhost';
  // Express also takes targets whose host can be none, which no browser sends.
  const { pathname } = new URL(URL.canParse(originalUrl, base) ? originalUrl : '/', base);
  return '../'.repeat(pathname.split('/').length - 2) || './';
}
