import type { Sequelize } from 'sequelize-typescript';
import type { Settings } from '../config.ts';
import type { Clock } from '../infrastructure/clock.ts';
import type { ExchangeRates } from '../infrastructure/exchangeRates/exchangeRates.ts';
import type { FlightSupplier } from '../infrastructure/flights/supplier.ts';
import type { Mailer } from '../infrastructure/mail.ts';
import type { ProcessLog } from '../infrastructure/observability/log.ts';
import type { Metrics } from '../infrastructure/observability/metrics.ts';
import type { PaymentProvider } from '../infrastructure/payments/provider.ts';
import type { Signals } from '../infrastructure/pubsub/signals.ts';
import type { Vault } from '../infrastructure/secrets/vault.ts';
import type { WebhookSender } from '../infrastructure/webhooks/sender.ts';

/** What the domain needs of the world; put together once, in the composition root. */
export interface Platform {
  readonly sequelize: Sequelize;
  /** Whether other processes may use the same database. */
  readonly shared: boolean;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly metrics: Metrics;
  readonly signals: Signals;
  readonly vault: Vault;
  readonly paymentProvider: PaymentProvider;
  /** All of them are asked at once. */
  readonly flightSuppliers: readonly FlightSupplier[];
  readonly exchangeRates: ExchangeRates;
  readonly webhookSender: WebhookSender;
  readonly mailer: Mailer;
  /** Base of links that clients get, without a slash at its end. */
  readonly publicUrl: string;
}
