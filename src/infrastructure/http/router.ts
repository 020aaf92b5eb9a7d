import { Router } from 'express';

/**
 * Takes paths in the case that they are declared in, and no other: a proxy that keeps some of them from the outside knows
 * but that one. All routers are made here.
 * @param options `strict` takes no path with a slash behind it either.
 */
export const createRouter = (options: { strict?: boolean } = {}): Router =>
  Router({ ...options, caseSensitive: true });
