import type { FieldFault } from '../../errors.ts';
import { conflict, notFound, validationError } from '../../errors.ts';
import { afterCommit, inTransaction } from '../../infrastructure/database/transaction.ts';
import { isIdentifier, newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { recordEvent } from '../events/recording.ts';
import type { Parts } from '../parts.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { findTenant } from '../wallet/wallet.ts';
import type { KeyKind } from './apiKey.ts';
import { ApiKey } from './apiKey.ts';
import { findTeam } from './management.ts';
import { isName } from './name.ts';
import type { Scope } from './scope.ts';
import { scopes as allScopes } from './scope.ts';
import { hashSecretKey, newSecretKey } from './secretKey.ts';

export interface KeyRequest {
  kind: KeyKind;
  /** Required for live and test keys, refused for operators'. */
  teamId: string | null;
  name: string;
  /** All of them when null. */
  scopes: Scope[] | null;
  /** A key chosen beforehand, for bootstrapping; otherwise 256 random bits. */
  secret?: string;
  /** For who must name it even where nobody knows whether it was written. */
  id?: string;
}

export interface IssuedKey {
  apiKey: ApiKey;
  /** The key itself: shown now and never again. */
  secret: string;
}

/** An API key as events tell it. */
function keyObject(apiKey: ApiKey): Record<string, unknown> {
  return {
    id: apiKey.id,
    name: apiKey.name,
    mode: apiKey.kind,
    last_four: apiKey.lastFour,
    scopes: apiKey.scopes,
    created_at: apiKey.createdAt.toISOString(),
    ...(apiKey.revokedAt ? { revoked_at: apiKey.revokedAt.toISOString() } : {}),
  };
}

async function tenantOf(apiKey: ApiKey, platform: Platform): Promise<Tenant | null> {
  if (apiKey.kind === 'operator' || apiKey.teamId === null) return null;
  return findTenant(apiKey.teamId, apiKey.kind, platform);
}

export type KeyParts = Parts<Pick<KeyRequest, 'kind' | 'teamId' | 'name'>> & {
  readonly scopes?: readonly unknown[] | null | undefined;
};

/** The members that are there and bad. */
export function apiKeyFaults({ kind, teamId, name, scopes }: KeyParts): FieldFault[] {
  const faults: FieldFault[] = [];
  if (name !== undefined && !isName(name)) faults.push({ field: 'name', type: 'invalid' });
  if (kind && kind !== 'operator' && teamId === null) faults.push({ field: 'teamId', type: 'required' });
  if (kind === 'operator' && typeof teamId === 'string') faults.push({ field: 'teamId', type: 'invalid' });
  if (kind === 'operator' && Array.isArray(scopes)) faults.push({ field: 'scopes', type: 'invalid' });
  return faults;
}

/** Issues a key; event api_key.created. @throws AppError 400 naming each bad field, 404 for an unknown team. */
export async function createApiKey(request: KeyRequest, platform: Platform): Promise<IssuedKey> {
  const faults = apiKeyFaults(request);
  if (faults.length > 0) throw validationError(faults);
  if (request.teamId !== null) await findTeam(request.teamId, platform);
  return inTransaction(platform.sequelize, async () => {
    const issued = await issueKey(request, platform);
    const { apiKey } = issued;
    const tenant = await tenantOf(apiKey, platform);
    if (tenant) {
      await recordEvent(
        tenant,
        { type: 'api_key.created', subjectId: apiKey.id, object: keyObject(apiKey) },
        platform,
      );
    }
    return issued;
  });
}

/** Writes a key that breaks no rule, and tells nobody: operators' keys belong to no team. */
export async function issueKey(
  request: KeyRequest,
  { sequelize, clock }: Pick<Platform, 'sequelize' | 'clock'>,
): Promise<IssuedKey> {
  const secret = request.secret ?? newSecretKey(request.kind);
  const apiKey = await sequelize.getRepository(ApiKey).create({
    id: request.id ?? newIdentifier('key'),
    teamId: request.teamId,
    kind: request.kind,
    name: request.name.trim(),
    hash: Buffer.from(hashSecretKey(secret), 'hex'),
    lastFour: secret.slice(-4),
    scopes: request.kind === 'operator' ? [] : [...new Set(request.scopes ?? allScopes)],
    createdAt: clock.now(),
    revokedAt: null,
  });
  return { apiKey, secret };
}

/**
 * Revokes a key; event api_key.revoked. It stops working in every process within a second.
 * @throws AppError 404 for an unknown id, 409 when it is revoked already.
 */
export async function revokeApiKey(id: string, platform: Platform): Promise<ApiKey> {
  if (!isIdentifier('key', id)) throw notFound('API key');
  const { sequelize } = platform;
  return inTransaction(sequelize, async () => {
    const apiKey = await sequelize.getRepository(ApiKey).findByPk(id, { lock: true });
    if (!apiKey) throw notFound('API key');
    if (apiKey.revokedAt) throw conflict('API key already revoked');
    await apiKey.update({ revokedAt: platform.clock.now() });
    const tenant = await tenantOf(apiKey, platform);
    if (tenant) {
      await recordEvent(
        tenant,
        {
          type: 'api_key.revoked',
          subjectId: apiKey.id,
          object: keyObject(apiKey),
          previousAttributes: { revoked_at: null },
        },
        platform,
      );
    }
    afterCommit(() => platform.signals.publish('access', { hash: apiKey.hash.toString('hex') }));
    return apiKey;
  });
}

/**
 * Keys of a team, or the operators' keys for null, oldest first, revoked ones included.
 * @throws AppError 404 for an unknown team.
 */
export async function listApiKeys(teamId: string | null, platform: Platform): Promise<ApiKey[]> {
  if (teamId !== null) await findTeam(teamId, platform);
  return platform.sequelize.getRepository(ApiKey).findAll({
    where: { teamId },
    order: [
      ['createdAt', 'ASC'],
      ['id', 'ASC'],
    ],
  });
}
