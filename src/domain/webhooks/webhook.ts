import type { Vault } from '../../infrastructure/secrets/vault.ts';

/** A webhook as the database has it; BIGINTs as digits. */
export interface WebhookRow {
  id: string;
  wallet_id: number;
  url: string;
  events: string[];
  active: boolean;
  description: string | null;
  sealed_headers: string;
  sealed_secrets: string;
  total_deliveries: string;
  failed_deliveries: string;
  last_triggered_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

const columns: Readonly<Record<keyof WebhookRow, true>> = {
  id: true,
  wallet_id: true,
  url: true,
  events: true,
  active: true,
  description: true,
  sealed_headers: true,
  sealed_secrets: true,
  total_deliveries: true,
  failed_deliveries: true,
  last_triggered_at: true,
  created_at: true,
  updated_at: true,
};

/** SQL: the columns of a WebhookRow. */
export const webhookColumns = Object.keys(columns).join(', ');

/** A header that a team adds to its deliveries. */
export interface CustomHeader {
  name: string;
  value: string;
}

/** A signing secret; `until` is when a rotated one stops being used (ISO 8601), null for the present one. */
export interface SigningSecret {
  secret: string;
  until: string | null;
}

/** Percent of attempts that succeeded, with one decimal; 100 before the first (DESIGN §4). */
export function successRate(total: number, failed: number): number {
  return total === 0 ? 100 : Math.round(((total - failed) * 1_000) / total) / 10;
}

/** Secrets in the form in which they are stored, the newest first. */
export function sealSecrets(secrets: readonly SigningSecret[], vault: Vault): string {
  return vault.seal(JSON.stringify(secrets));
}

/** Those of the secrets that sign at this moment. */
export const signingAt = (now: Date, secrets: readonly SigningSecret[]): SigningSecret[] =>
  secrets.filter(({ until }) => until === null || Date.parse(until) > now.getTime());

/** The secrets that sign at this moment, the newest first. */
export const openSecrets = (sealed: string, now: Date, vault: Vault): SigningSecret[] =>
  signingAt(now, JSON.parse(vault.open(sealed)) as SigningSecret[]);

/** Headers in the form in which they are stored. */
export function sealHeaders(headers: readonly CustomHeader[], vault: Vault): string {
  return vault.seal(JSON.stringify(headers));
}

/** The headers that were stored. @throws Error when the vault has no key that opens them. */
export function openHeaders(sealed: string, vault: Vault): CustomHeader[] {
  return JSON.parse(vault.open(sealed)) as CustomHeader[];
}
