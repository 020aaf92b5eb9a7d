import { conflict, notFound } from '../../errors.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { afterCommit, inTransaction } from '../../infrastructure/database/transaction.ts';
import { recordEvent } from '../events/recording.ts';
import type { Platform } from '../platform.ts';
import { findTeam } from '../teams/management.ts';
import type { Mode, Tenant } from '../tenant.ts';
import { findTenant } from '../wallet/wallet.ts';
import type { Integration, IntegrationKind } from './integration.ts';
import { configuredIntegrations } from './integration.ts';

interface IntegrationRow {
  kind: IntegrationKind;
  name: string;
  connected: boolean;
  updated_at: Date;
}

const columns = 'kind, name, connected, updated_at';

/** What was never switched off has no row, and is connected already. */
const connectStatement = statement<IntegrationRow>(
  'connect_integration',
  `UPDATE integrations SET connected = true, updated_at = $4
    WHERE wallet_id = $1 AND kind = $2 AND name = $3 AND NOT connected RETURNING ${columns}`,
);

const disconnectStatement = statement<IntegrationRow>(
  'disconnect_integration',
  `INSERT INTO integrations AS i (wallet_id, kind, name, connected, updated_at) VALUES ($1, $2, $3, false, $4)
   ON CONFLICT (wallet_id, kind, name) DO UPDATE SET connected = false, updated_at = excluded.updated_at
     WHERE i.connected
   RETURNING ${columns}`,
);

const readIntegrations = statement<IntegrationRow>(
  'read_integrations',
  `SELECT ${columns} FROM integrations WHERE wallet_id = $1`,
);

/** Whose integrations: agencies' keys do not come here, so the team and mode are named. */
export interface Owner {
  teamId: string;
  mode: Mode;
}

/** @throws AppError 404 "Team not found". */
async function tenantOf({ teamId, mode }: Owner, platform: Platform): Promise<Tenant> {
  await findTeam(teamId, platform);
  return findTenant(teamId, mode, platform);
}

const toIntegration = ({ teamId, mode }: Owner, row: IntegrationRow): Integration => ({
  teamId,
  mode,
  kind: row.kind,
  name: row.name,
  connected: row.connected,
  updatedAt: row.updated_at,
});

async function switchIntegration(
  owner: Owner,
  { kind, name }: Pick<Integration, 'kind' | 'name'>,
  connected: boolean,
  platform: Platform,
): Promise<Integration> {
  const known = configuredIntegrations(platform).some((one) => one.kind === kind && one.name === name);
  if (!known) throw notFound('Integration');
  const tenant = await tenantOf(owner, platform);
  return inTransaction(platform.sequelize, async () => {
    const values = [tenant.walletId, kind, name, platform.clock.now()];
    const [row] = await run(platform.sequelize, connected ? connectStatement : disconnectStatement, values);
    const state = connected ? 'connected' : 'disconnected';
    if (!row) throw conflict(`Integration already ${state}`, { field: 'name', type: state });
    await recordEvent(
      tenant,
      {
        type: `integration.${state}`,
        subjectId: `${kind}/${name}`,
        object: { name, kind, connected, updated_at: row.updated_at.toISOString() },
        previousAttributes: { connected: !connected },
      },
      platform,
    );
    // What is cached with the team's keys names the suppliers that are not asked.
    afterCommit(() => platform.signals.publish('access', { hash: null }));
    return toIntegration(owner, row);
  });
}

/**
 * Switches an integration on for a team and mode; event integration.connected.
 * @throws AppError 404 "Team not found", 404 "Integration not found" for an adapter that does not run here, 409
 *   "Integration already connected".
 */
export function connectIntegration(
  owner: Owner,
  integration: Pick<Integration, 'kind' | 'name'>,
  platform: Platform,
): Promise<Integration> {
  return switchIntegration(owner, integration, true, platform);
}

/**
 * Switches an integration off for a team and mode; event integration.disconnected. Searches ask a disconnected supplier
 * no more and its offers cannot be booked, and recharges are refused while the payment provider is disconnected; bookings
 * and charges made before stay good.
 * @throws AppError as `connectIntegration`, with 409 "Integration already disconnected".
 */
export function disconnectIntegration(
  owner: Owner,
  integration: Pick<Integration, 'kind' | 'name'>,
  platform: Platform,
): Promise<Integration> {
  return switchIntegration(owner, integration, false, platform);
}

/** All integrations of a team in a mode. @throws AppError 404 "Team not found". */
export async function listIntegrations(owner: Owner, platform: Platform): Promise<Integration[]> {
  const { walletId } = await tenantOf(owner, platform);
  const rows = await run(platform.sequelize, readIntegrations, [walletId]);
  return configuredIntegrations(platform).map(({ kind, name }) => {
    const row = rows.find((one) => one.kind === kind && one.name === name);
    return row ? toIntegration(owner, row) : { ...owner, kind, name, connected: true, updatedAt: null };
  });
}
