import { Op } from 'sequelize';
import { isIdentifier } from '../../infrastructure/identifier.ts';
import { notFound } from '../errors.ts';
import type { Tenant } from '../tenant.ts';
import { Recharge } from './recharge.ts';

/** @throws AppError 404 "Recharge not found" for an id that is unknown to this team and mode, or no id at all. */
export async function findRecharge(tenant: Tenant, id: string): Promise<Recharge> {
  const recharge = isIdentifier('rch', id)
    ? await Recharge.findOne({ where: { id, walletId: tenant.walletId } })
    : null;
  if (!recharge) throw notFound('Recharge');
  return recharge;
}

/** For the payer, who has the link and no key: 74 random bits of the id are the permission to see the charge. */
export async function findChargeOfPayer(id: string): Promise<Recharge> {
  const recharge = isIdentifier('rch', id) ? await Recharge.findByPk(id) : null;
  if (!recharge) throw notFound('Recharge');
  return recharge;
}

/** Recharges of a team and mode, newest first; `offset` and `limit` in rows. */
export async function listRecharges(
  tenant: Tenant,
  filter: { status?: string | null },
  page: { offset: number; limit: number },
): Promise<{ recharges: Recharge[]; total: number }> {
  const { rows, count } = await Recharge.findAndCountAll({
    where: { walletId: tenant.walletId, ...(filter.status ? { status: { [Op.eq]: filter.status } } : {}) },
    order: [
      ['createdAt', 'DESC'],
      ['id', 'DESC'],
    ],
    ...page,
  });
  return { recharges: rows, total: count };
}
