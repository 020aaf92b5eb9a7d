import type { ErrorRequestHandler, Router } from 'express';
import { gatewaySchema } from '../schema/index.ts';
import { dayOf } from '../src/domain/day.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { validationError, wrongMethod } from '../src/errors.ts';
import type { DirectRoute } from '../src/infrastructure/http/directRoutes.ts';
import { refuseOtherMethods } from '../src/infrastructure/http/otherMethods.ts';
import { restPrefix } from '../src/infrastructure/http/restPrefix.ts';
import { createRouter } from '../src/infrastructure/http/router.ts';
import { sendError, unknownPath } from './envelope.ts';
import { handlerOf } from './handler.ts';
import { openApiDocument } from './openapi.ts';
import { preparedRoutes } from './preparedRoutes.ts';
import { refusing } from './refusal.ts';

/** The documented endpoints: what takes them directly, and the router for everything at `restPrefix`. */
export interface RestDoor {
  readonly router: Router;
  readonly direct: readonly DirectRoute[];
}

/** The documented endpoints and the document that describes them, below `restPrefix`. */
export function createRestDoor(gateway: Gateway): RestDoor {
  const direct: DirectRoute[] = [];
  const router = createRouter();
  const prepared = preparedRoutes();
  const { clock, settings } = gateway.platform;
  // Worked out for its first reader of a day, who waits a moment: a start is faster without. All get the same bytes:
  // strangers who ask a thousand times and read nothing must not take a thousand times their memory.
  let openApi: { departureDate: string; bytes: Buffer } | undefined;
  router.get('/openapi.json', (request, response) => {
    request.routeName = '/openapi.json';
    const departureDate = exampleDay(clock.now());
    if (openApi?.departureDate !== departureDate) {
      const document = openApiDocument(prepared, gatewaySchema(), departureDate, settings);
      openApi = { departureDate, bytes: Buffer.from(JSON.stringify(document)) };
    }
    response.type('json').send(openApi.bytes);
  });
  refuseOtherMethods(router, '/openapi.json', '/openapi.json');
  for (const path of new Set(prepared.map(({ route }) => route.path))) {
    const ofPath = prepared.filter(({ route }) => route.path === path);
    for (const one of ofPath) {
      const handler = handlerOf(one, gateway);
      router[one.route.method](path, handler);
      direct.push({ method: one.route.method.toUpperCase(), path: restPrefix + path, handler });
    }
    const methods = ofPath.map(({ route }) => route.method.toUpperCase());
    router.all(path, refusing(gateway, wrongMethod, methods));
  }
  router.use(refusing(gateway, unknownPath));
  router.use(refuseUnreadablePath(gateway));
  return { router, direct };
}

/** A month ahead in UTC: whoever sends the documentation's example as it stands finds flights, on any day. */
const exampleDay = (now: Date): string => dayOf(new Date(now.getTime() + 30 * 24 * 3_600_000));

/** Express could not decode the path: `%zz`, `%ff`. */
function refuseUnreadablePath(gateway: Gateway): ErrorRequestHandler {
  const refuse = refusing(gateway, validationError({ field: 'path', type: 'invalid' }));
  return (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const unreadable = error instanceof URIError || (error as { status?: number }).status === 400;
    if (unreadable) return refuse(request, response, next);
    sendError(response, error, null, gateway.platform.log);
  };
}
