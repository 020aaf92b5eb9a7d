import type { Sequelize } from 'sequelize';
import { SettingsError } from '../config.ts';
import { run, statement } from '../infrastructure/database/statement.ts';
import type { Vault } from '../infrastructure/vault.ts';

// The oldest: ids count up in time, and whatever came later was sealed by a process that passed this check.
const readSealed = statement<{ sealed: string }>(
  'read_sealed_samples',
  `(SELECT sealed_secrets AS sealed FROM webhooks ORDER BY id LIMIT 1)
    UNION ALL (SELECT sealed_travellers FROM bookings ORDER BY id LIMIT 1)
    UNION ALL (SELECT coalesce(sealed_tax_id, sealed_address) FROM teams
                WHERE coalesce(sealed_tax_id, sealed_address) IS NOT NULL ORDER BY id LIMIT 1)`,
);

/**
 * Compares the key of this process with what is stored. With another one every webhook, booking and payer would be
 * unreadable, and what is written from then on would be unreadable with the right one.
 * @throws SettingsError when something stored was sealed with another key.
 */
export async function checkVault(vault: Vault, sequelize: Sequelize): Promise<void> {
  const samples = await run(sequelize, readSealed, []);
  try {
    for (const { sealed } of samples) vault.open(sealed);
  } catch {
    throw new SettingsError(
      'Wrong settings: ENCRYPTION_KEY: the stored secrets were sealed with another key',
    );
  }
}
