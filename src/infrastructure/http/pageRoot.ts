import type { Request } from 'express';

/**
 * The way from a page to what this server has at `/`. A proxy may have put it all below a path of its own, of which it tells
 * nobody.
 */
export function pageRoot({ originalUrl }: Request): string {
  const { pathname } = new URL(originalUrl, 'http://localhost');
  return '../'.repeat(pathname.split('/').length - 2) || './';
}
