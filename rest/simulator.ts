import type { Router } from 'express';
import { bodyOf } from '../schema/callers.ts';
import type { OperationRules, RequestContext } from '../src/domain/admission.ts';
import { admit, tenantOf } from '../src/domain/admission.ts';
import { toldOfWrite } from '../src/domain/busy.ts';
import { isInstant } from '../src/domain/day.ts';
import type { Gateway } from '../src/domain/gateway.ts';
import { confirmRecharge } from '../src/domain/recharges/payment.ts';
import { findRecharge } from '../src/domain/recharges/reading.ts';
import { notFound, validationError, wrongMethod } from '../src/errors.ts';
import { createRouter } from '../src/infrastructure/http/router.ts';
import { jsonBody } from '../src/infrastructure/json/written.ts';
import { answering } from './answering.ts';
import { metaOf } from './envelope.ts';
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

/** Pays a recharge of the caller's, and shows what has become of it. @throws AppError 400 or 404, or as `confirmRecharge`. */
async function payRecharge(id: string, given: Date | null, context: RequestContext): Promise<object> {
  const { platform } = context.gateway;
  const now = platform.clock.now();
  if (given && given > now) throw invalidPaidAt();
  const tenant = tenantOf(context);
  const { createdAt, provider } = await findRecharge(tenant, id, platform);
  // Whoever pays at a real bank is told of by it alone.
  if (provider !== platform.paymentProvider.name) throw notFound('Recharge');
  if (given && given < createdAt) throw invalidPaidAt();
  const recharge = await confirmRecharge(tenant, id, given ?? now, platform);
  return {
    id: recharge.id,
    status: recharge.status,
    paid_at: recharge.paidAt?.toISOString(),
    transaction_id: recharge.transactionId,
  };
}

/**
 * The simulated payment provider's side of a payment: `POST /simulator/recharges/:id/pay`, with the team's own key,
 * stands in for the payer's bank. Mounted only while PAYMENT_PROVIDER is simulated.
 */
export function createSimulatorRouter(gateway: Gateway): Router {
  const router = createRouter();
  const route = { path: '/simulator/recharges/:id/pay', status: 200 } as const;
  const pay = answering(route, gateway, async (request, response, context) => {
    await admit(rules, context);
    const { id } = request.params as { id: string };
    const given = givenPaidAt(await bodyOf(request, response, context));
    try {
      const data = await payRecharge(id, given, context);
      return jsonBody({ success: true, data, ...metaOf(context) });
    } catch (error) {
      throw toldOfWrite(error, context);
    }
  });
  router.post('/recharges/:id/pay', pay);
  router.all('/recharges/:id/pay', refusing(gateway, wrongMethod, ['POST']));
  return router;
}
