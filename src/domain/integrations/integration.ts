import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';

/**
 * An integration is an adapter of this deployment (a flight supplier or the payment provider) as a team has it in a mode:
 * connected, which all are at first, or disconnected, and then not asked for that team in that mode any more.
 */
export const integrationKinds = ['flight_supplier', 'payment_provider'] as const;
export type IntegrationKind = (typeof integrationKinds)[number];

export interface Integration {
  teamId: string;
  mode: Tenant['mode'];
  kind: IntegrationKind;
  /** As the settings FLIGHT_SUPPLIERS and PAYMENT_PROVIDER call it. */
  name: string;
  connected: boolean;
  /** When it was switched last; null when it never was. */
  updatedAt: Date | null;
}

/** The adapters that run here, in the order in which they are listed. */
export function configuredIntegrations({
  flightSuppliers,
  paymentProvider,
}: Pick<Platform, 'flightSuppliers' | 'paymentProvider'>): { kind: IntegrationKind; name: string }[] {
  return [
    ...flightSuppliers.map(({ name }) => ({ kind: 'flight_supplier' as const, name })),
    { kind: 'payment_provider', name: paymentProvider.name },
  ];
}

/** SQL: the names of a wallet's disconnected integrations of a kind, as an array; `wallet` is an SQL expression. */
export const disconnectedSql = (kind: IntegrationKind, wallet: string) =>
  `ARRAY(SELECT name FROM integrations WHERE wallet_id = ${wallet} AND kind = '${kind}' AND NOT connected)`;
