import type { IRouter } from 'express';
import { wrongMethod } from '../../errors.ts';

/**
 * Refuses, at a path that has been declared for GET and is open to anyone, every other method with 405 and Allow. To be
 * called after the declaration; the application's error handler writes the answer.
 * @param routeName what logs and metrics call the path.
 */
export function refuseOtherMethods(router: IRouter, path: string, routeName: string): void {
  router.all(path, (request, response, next) => {
    request.routeName = routeName;
    response.setHeader('Allow', 'GET');
    next(wrongMethod);
  });
}
