import type { Clock } from '../clock.ts';
import { createAdapter } from '../createAdapter.ts';
import { pixApiProvider } from './pixApi/pixApiProvider.ts';
import type { PixApiSettings } from './pixApi/pixApiSettings.ts';
import type { PaymentProvider } from './provider.ts';
import { simulatedPaymentProvider } from './simulated.ts';

/**
 * What providers take from the settings: the simulated one nothing. One that may be missing is `| undefined`, not `?`, so that
 * config.ts must have it.
 */
export interface ProviderSettings extends PixApiSettings {}

/** Every payment provider by the name that PAYMENT_PROVIDER calls it. */
const providers = {
  simulated: () => simulatedPaymentProvider(),
  pix_api: pixApiProvider,
} satisfies Record<string, (settings: ProviderSettings, clock: Clock) => PaymentProvider>;

export type PaymentProviderName = keyof typeof providers;

export const paymentProviderNames = Object.keys(providers) as [PaymentProviderName, ...PaymentProviderName[]];

/** The provider that the setting PAYMENT_PROVIDER names. @throws Error as `createAdapter` */
export const createPaymentProvider = (
  name: PaymentProviderName,
  settings: ProviderSettings,
  clock: Clock,
): PaymentProvider => createAdapter('PAYMENT_PROVIDER', providers, name, settings, clock);

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
