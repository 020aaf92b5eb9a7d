import { createAdapter } from '../createAdapter.ts';
import type { PaymentProvider } from './provider.ts';
import { simulatedPaymentProvider } from './simulated.ts';

/**
 * What providers take from the settings: the simulated one nothing. One that may be missing is `| undefined`, not `?`, so that
 * config.ts must have it.
 */
export type ProviderSettings = object;

/** Every payment provider by the name that PAYMENT_PROVIDER calls it. */
const providers = {
  simulated: (_settings: ProviderSettings) => simulatedPaymentProvider(),
} satisfies Record<string, (settings: ProviderSettings) => PaymentProvider>;

export type PaymentProviderName = keyof typeof providers;

export const paymentProviderNames = Object.keys(providers) as [PaymentProviderName, ...PaymentProviderName[]];

/** The provider that the setting PAYMENT_PROVIDER names. @throws Error as `createAdapter` */
export const createPaymentProvider = (
  name: PaymentProviderName,
  settings: ProviderSettings,
): PaymentProvider => createAdapter('PAYMENT_PROVIDER', providers, name, settings);

/**
 * A provider as it may be used.
 * @throws Error when it cannot do what it offers; its message is the line with which the start stops.
 */
export function checkPaymentProvider(provider: PaymentProvider): PaymentProvider {
  // Payers would be given links to boletos that are not there.
  if (provider.methods.includes('boleto') && !provider.boletoIssuer)
    throw new Error(
      `PAYMENT_PROVIDER ${provider.name}: it offers boletos, and has no boletoIssuer to print on them`,
    );
  return provider;
}
