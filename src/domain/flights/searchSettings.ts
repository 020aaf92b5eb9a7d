import { disconnectedSql } from '../integrations/integration.ts';
import type { PricingSettings } from './pricing.ts';

/** What the searches of a team in a mode depend on. Read with the key that calls, so that no search waits for it. */
export interface SearchSettings extends PricingSettings {
  /** Names of suppliers that are not asked. */
  readonly disconnectedSuppliers: readonly string[];
}

export interface SearchSettingsRow {
  markup_percent: string;
  fee_cents: string;
  disconnected_suppliers: string[];
}

/** SQL: the columns of a SearchSettingsRow; `team` and `wallet` name tables of the statement. */
export const searchSettingsSql = (team: string, wallet: string) =>
  `${team}.markup_percent, ${team}.fee_cents,
   ${disconnectedSql('flight_supplier', `${wallet}.id`)} AS disconnected_suppliers`;

/** What such a row says. */
export const toSearchSettings = (row: SearchSettingsRow): SearchSettings => ({
  markupPercent: row.markup_percent,
  feeCents: BigInt(row.fee_cents),
  disconnectedSuppliers: row.disconnected_suppliers,
});
