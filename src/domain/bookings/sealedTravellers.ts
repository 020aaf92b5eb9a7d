import type { Traveller } from '../../infrastructure/flights/order.ts';
import type { Vault } from '../../infrastructure/secrets/vault.ts';

/** Travellers in the form in which they are stored: who they are is nothing for a backup to tell. */
export const sealTravellers = (travellers: readonly Traveller[], vault: Vault): string =>
  vault.seal(JSON.stringify(travellers));

/** The travellers that were stored. @throws Error when the vault has no key that opens them. */
export const openTravellers = (sealed: string, vault: Vault): Traveller[] =>
  JSON.parse(vault.open(sealed)) as Traveller[];
