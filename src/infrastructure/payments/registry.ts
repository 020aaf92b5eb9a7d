import type { PaymentProvider } from './provider.ts';
import { simulatedPaymentProvider } from './simulated.ts';

/** Every payment provider by the name that PAYMENT_PROVIDER calls it. */
const providers = {
  simulated: () => simulatedPaymentProvider(),
} satisfies Record<string, () => PaymentProvider>;

export type PaymentProviderName = keyof typeof providers;

export const paymentProviderNames = Object.keys(providers) as [PaymentProviderName, ...PaymentProviderName[]];

export function createPaymentProvider(name: PaymentProviderName): PaymentProvider {
  return providers[name]();
}
