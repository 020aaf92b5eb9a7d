import type { Clock } from '../../clock.ts';
import type { PaymentProvider } from '../provider.ts';
import { simulatedPaymentProvider } from '../simulated.ts';
import { readCallback, showsSecret } from './callbacks.ts';
import { makeCharge, removeCharge } from './charges.ts';
import { listPayments } from './paymentLists.ts';
import { PixApiClient } from './pixApiClient.ts';
import { type PixApiSettings, pixApiName, readPixApi } from './pixApiSettings.ts';

/**
 * PIX at a bank of one's own, over the Pix API of Banco Central do Brasil, which is the same at each of them. Test keys get
 * the simulated provider's charges, which nobody can pay; the bank hears nothing of them.
 * @throws Error as `readPixApi`
 */
export function pixApiProvider(settings: PixApiSettings, clock: Clock): PaymentProvider {
  const api = readPixApi(settings);
  const client = new PixApiClient(api, clock);
  const simulated = simulatedPaymentProvider();
  const { callbackSecret } = api;
  const provider: PaymentProvider = {
    name: pixApiName,
    methods: ['pix'],
    createCharge: (request, options) =>
      request.mode === 'test'
        ? simulated.createCharge(request, options)
        : makeCharge(request, api, client, options.signal),
    listNotifications: (since, page, { signal }) => listPayments(since, page, { client, clock }, signal),
    async cancelCharge(charge, { signal }) {
      if (charge.mode === 'live') await removeCharge(charge, client, clock, signal);
    },
  };
  if (callbackSecret === null) return provider;
  return {
    ...provider,
    readNotifications: async (_headers, rawBody, target) =>
      showsSecret(target, callbackSecret) ? readCallback(rawBody, client, api.timeoutMs) : null,
  };
}
