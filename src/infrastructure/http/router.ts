import { Router } from 'express';

/**
 * Takes paths in the case that they are declared in, and no other: a proxy that keeps some of them from the outside knows
 * but that one. To be used for every router.
 */
export const createRouter = (): Router => Router({ caseSensitive: true });
