import { Router } from 'express';
import type { OperationRules, RequestContext } from '../src/domain/admission.ts';
import { admit, tenantOf } from '../src/domain/admission.ts';
import { toldOfWrite } from '../src/domain/busy.ts';
import { isInstant } from '../src/domain/day.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { confirmRecharge } from '../src/domain/recharges/payment.ts';
import { findRecharge } from '../src/domain/recharges/reading.ts';
import { notFound, validationError, wrongMethod } from '../src/errors.ts';
import { readJsonBody } from '../src/infrastructure/http/body.ts';
import { metaOf, send, sendError } from './envelope.ts';
import { openContext } from './handler.ts';
import { refusing } from './refusal.ts';
import { bodyMembers } from './variables.ts';

const rules: OperationRules = { scope: 'wallet:write', bucket: 'default', creation: null, testOnly: false };

const invalidPaidAt = () => validationError({ field: 'paid_at', type: 'invalid' });

/** When the payer says to have paid, `paid_at` of the body, or null. @throws AppError 400 for anything but an instant. */
function givenPaidAt(body: unknown): Date | null {
  const { paid_at: paidAt } = bodyMembers(body);
  if (paidAt === undefined) return null;
  if (typeof paidAt !== 'string' || !isInstant(paidAt)) throw invalidPaidAt();
  return new Date(paidAt);
}

/**
 * The simulated payment provider's side of a payment: `POST /simulator/recharges/:id/pay`, with the team's own key,
 * stands in for the payer's bank. Mounted only while PAYMENT_PROVIDER is simulated.
 */
export function createSimulatorRouter(gateway: Gateway): Router {
  const { platform } = gateway;
  const router = Router({ caseSensitive: true });
  router.post('/recharges/:id/pay', async (request, response) => {
    request.routeName = '/simulator/recharges/:id/pay';
    let context: RequestContext | null = null;
    try {
      context = await openContext(request, response, gateway);
      await admit(rules, context);
      const body = await readJsonBody(request, response);
      const given = givenPaidAt(body);
      const now = platform.clock.now();
      if (given && given > now) throw invalidPaidAt();
      const tenant = tenantOf(context);
      const { id, createdAt, provider } = await findRecharge(tenant, request.params.id, platform);
      // Whoever pays at a real bank is told of by it alone.
      if (provider !== platform.paymentProvider.name) throw notFound('Recharge');
      if (given && given < createdAt) throw invalidPaidAt();
      const recharge = await confirmRecharge(tenant, id, given ?? now, platform);
      const paid = {
        id: recharge.id,
        status: recharge.status,
        paid_at: recharge.paidAt?.toISOString(),
        transaction_id: recharge.transactionId,
      };
      send(response, 200, { success: true, data: paid, ...metaOf(context) }, context);
    } catch (error) {
      sendError(response, context ? toldOfWrite(error, context) : error, context, platform.log);
    }
  });
  router.all('/recharges/:id/pay', refusing(gateway, wrongMethod, ['POST']));
  return router;
}
