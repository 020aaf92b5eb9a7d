import type { PaymentProvider } from './provider.ts';
import { simulatedPaymentProvider } from './simulated.ts';

/** What providers take from the settings: the simulated one nothing. */
export type ProviderSettings = object;

/** Every payment provider by the name that PAYMENT_PROVIDER calls it. */
const providers = {
  simulated: () => simulatedPaymentProvider(),
} satisfies Record<string, (settings: ProviderSettings) => PaymentProvider>;

export type PaymentProviderName = keyof typeof providers;

export const paymentProviderNames = Object.keys(providers) as [PaymentProviderName, ...PaymentProviderName[]];

/** The provider that the setting PAYMENT_PROVIDER names. */
export function createPaymentProvider(
  name: PaymentProviderName,
  settings: ProviderSettings,
): PaymentProvider {
  const create: (settings: ProviderSettings) => PaymentProvider = providers[name];
  return create(settings);
}
