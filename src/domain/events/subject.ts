import { notFound } from '../../errors.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import type { IdentifierPrefix } from '../../infrastructure/identifiers/identifier.ts';
import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';

const isKnownSubject = statement<{ known: boolean }>(
  'is_known_subject',
  'SELECT EXISTS (SELECT FROM events WHERE subject_id = $1 AND wallet_id = $2) AS known',
);

/**
 * Makes sure that a resource exists before anyone waits for its events. The events themselves tell: the creation of
 * everything that can be followed is recorded with it.
 * @throws AppError 404 "<noun> not found".
 */
export async function checkSubject(
  tenant: Tenant,
  { noun, prefix, id }: { noun: string; prefix: IdentifierPrefix; id: string },
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<void> {
  const [row] = isIdentifier(prefix, id) ? await run(sequelize, isKnownSubject, [id, tenant.walletId]) : [];
  if (!row?.known) throw notFound(noun);
}
