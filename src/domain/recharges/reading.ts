import { Utils } from 'sequelize';
import { getAttributes } from 'sequelize-typescript';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { type Counted, countAnew, countSql, totalOf } from '../keptTotals.ts';
import { inTurnOfLongWork } from '../longWork.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import { Recharge, type RechargeStatus } from './recharge.ts';
import { rechargeNotFound } from './refusals.ts';

/** @throws AppError 404 "Recharge not found" for an id that is unknown to this team and mode, or no id at all. */
export async function findRecharge(
  tenant: Tenant,
  id: string,
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<Recharge> {
  const recharge = isIdentifier('rch', id)
    ? await sequelize.getRepository(Recharge).findOne({ where: { id, walletId: tenant.walletId } })
    : null;
  if (!recharge) throw rechargeNotFound();
  return recharge;
}

/** For the payer, who has the link and no key: 74 random bits of the id are the permission to see the charge. */
export async function findChargeOfPayer(
  id: string,
  { sequelize }: Pick<Platform, 'sequelize'>,
): Promise<Recharge> {
  const recharge = isIdentifier('rch', id) ? await sequelize.getRepository(Recharge).findByPk(id) : null;
  if (!recharge) throw rechargeNotFound();
  return recharge;
}

/** Every column, named as its member of a Recharge. */
const columns = Object.keys(getAttributes(Recharge.prototype))
  .map((member) => `r.${Utils.underscoredIf(member, true)} AS "${member}"`)
  .join(', ');

/**
 * $1 wallet, $2 limit, $3 offset, $4 status. Rows are passed over in the index, and only those of the page are read, as
 * lists of bookings do it.
 */
const pageStatement = (name: string, condition: string) =>
  statement<Record<string, unknown>>(
    name,
    `SELECT ${columns} FROM recharges r
      WHERE r.id = ANY (ARRAY(
              SELECT r.id FROM recharges r WHERE r.wallet_id = $1 AND ${condition}
               ORDER BY r.created_at DESC, r.id DESC LIMIT $2 OFFSET $3))
      ORDER BY r.created_at DESC, r.id DESC`,
    { shared: false },
  );

const readAll = pageStatement('read_recharges', '$4::text IS NULL');
const readOfStatus = pageStatement('read_recharges_of_status', 'r.status = $4');

/** $1 wallet, $2 status, $3 the wallet's last event when a total was counted. */
const countStatement = (name: string, condition: string) =>
  statement<Counted>(name, countSql(`recharges r WHERE r.wallet_id = $1 AND ${condition}`, '$3'), {
    shared: false,
  });

const countAll = countStatement('count_recharges', '$2::text IS NULL');
const countOfStatus = countStatement('count_recharges_of_status', 'r.status = $2');

/** Recharges come into these, or leave them, without an event; they have few, as a rule. */
const untoldStatuses: readonly RechargeStatus[] = ['pending', 'failed', 'cancelled'];

/** Recharges of a team and mode, newest first; `offset` and `limit` in rows. */
export async function listRecharges(
  tenant: Tenant,
  status: RechargeStatus | null,
  { offset, limit }: { offset: number; limit: number },
  platform: Pick<Platform, 'sequelize' | 'settings'>,
): Promise<{ recharges: Recharge[]; total: number }> {
  const { sequelize } = platform;
  const [read, count] = status === null ? [readAll, countAll] : [readOfStatus, countOfStatus];
  const counting = status !== null && untoldStatuses.includes(status) ? countAnew : totalOf;
  const [rows, total] = await inTurnOfLongWork('lists', tenant, platform, () =>
    Promise.all([
      run(sequelize, read, [tenant.walletId, limit, offset, status]),
      counting(tenant, count, [status], sequelize),
    ]),
  );
  const repository = sequelize.getRepository(Recharge);
  return { recharges: rows.map((row) => repository.build(row, { raw: true, isNewRecord: false })), total };
}
