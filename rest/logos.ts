import type { Router } from 'express';
import { notFound } from '../src/errors.ts';
import { carrierLogoPath, carrierLogoSvg } from '../src/infrastructure/flights/carriers.ts';
import { refuseOtherMethods } from '../src/infrastructure/http/otherMethods.ts';
import { createRouter } from '../src/infrastructure/http/router.ts';
import type { Log } from '../src/infrastructure/observability/log.ts';
import { sendError } from './envelope.ts';

/** Airlines' badges, which `logo_symbol_url` names: open to browsers, which show them without a key. */
export function createLogoRouter(log: Log): Router {
  const router = createRouter();
  const routeName = carrierLogoPath(':code');
  router.get(routeName, (request, response) => {
    request.routeName = routeName;
    const { code } = request.params;
    const svg = typeof code === 'string' ? carrierLogoSvg(code) : null;
    if (svg === null) return sendError(response, notFound('Logo'), null, log);
    response.setHeader('Cache-Control', 'public, max-age=86400');
    response.setHeader('Content-Security-Policy', "default-src 'none'");
    response.type('svg').send(svg);
  });
  refuseOtherMethods(router, routeName, routeName);
  return router;
}
