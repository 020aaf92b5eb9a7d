import type { Router } from 'express';
import type { Gateway } from '../src/domain/gateway.ts';
import { refuseStranger } from '../src/domain/identification.ts';
import { receiveNotifications } from '../src/domain/recharges/paymentNotices.ts';
import { wrongMethod } from '../src/errors.ts';
import { askWithin } from '../src/infrastructure/cutOff.ts';
import { readRawBody } from '../src/infrastructure/http/body.ts';
import { callbackPrefix } from '../src/infrastructure/http/callbackPrefix.ts';
import { createRouter } from '../src/infrastructure/http/router.ts';
import { send, sendError } from './envelope.ts';

/**
 * Where the payment provider tells what became of its charges: `POST /callbacks/payments/<its name>`, and below. It answers
 * 200 only once everything that it told is written; a provider that gets anything else tells it again. There is no such
 * path for a provider that never calls.
 */
export function createCallbackRouter(gateway: Gateway): Router {
  const { platform } = gateway;
  const { paymentProvider: provider, settings, clock, log, metrics } = platform;
  const router = createRouter();
  if (!provider.readNotifications) return router;
  const path = `${callbackPrefix}/${provider.name}`;
  const limits = {
    asked: `reading what ${provider.name} tells`,
    timeoutMs: settings.PAYMENT_PROVIDER_TIMEOUT,
    clock,
  };
  router.use(path, async (request, response) => {
    request.routeName = path;
    response.takesNoKey = true;
    try {
      if (request.method !== 'POST') {
        response.setHeader('Allow', 'POST');
        throw wrongMethod;
      }
      const body = await readRawBody(request, response);
      const notifications = await askWithin(limits, async () =>
        provider.readNotifications?.(request.headers, body, request.url),
      );
      if (!notifications) return await refuseStranger(request.ip ?? '', gateway);
      await receiveNotifications(provider.name, notifications, platform, (outcome) =>
        metrics.paymentNotices.inc({ outcome }),
      );
      send(response, 200, { success: true, data: { received: notifications.length } }, null);
    } catch (error) {
      sendError(response, error, null, log);
    }
  });
  return router;
}
