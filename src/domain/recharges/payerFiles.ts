import { notFound } from '../../errors.ts';
import type { BoletoSlip } from '../../infrastructure/payments/boletoSlip.ts';
import { boletoSlip } from '../../infrastructure/payments/boletoSlip.ts';
import type { Platform } from '../platform.ts';
import { findTeam } from '../teams/management.ts';
import { payerOf } from '../teams/payer.ts';
import { findChargeOfPayer } from './reading.ts';
import type { Recharge } from './recharge.ts';

/** What a payer sees of a charge, who has its link and no key. */

/** The BR Code of a recharge by PIX as it stands. @throws AppError 404 "Recharge not found" or "QR code not found". */
export async function readPix(
  id: string,
  platform: Pick<Platform, 'sequelize'>,
): Promise<{ code: string; status: Recharge['status'] }> {
  const { charge, status } = await findChargeOfPayer(id, platform);
  if (charge.method !== 'pix') throw notFound('QR code');
  return { code: charge.pixCopyPaste, status };
}

/**
 * The boleto of a recharge as it stands: on it stand the bank and the beneficiary of the provider that made it, so one of a
 * provider that does not run here is not shown at all.
 * @throws AppError 404 "Recharge not found" or "Boleto not found".
 */
export async function readBoleto(
  id: string,
  platform: Pick<Platform, 'sequelize' | 'paymentProvider' | 'vault'>,
): Promise<BoletoSlip> {
  const { paymentProvider, vault } = platform;
  const recharge = await findChargeOfPayer(id, platform);
  const { charge, provider, mode, status, createdAt, expiresAt, paidAt } = recharge;
  const issuer = provider === paymentProvider.name ? paymentProvider.boletoIssuer : undefined;
  if (charge.method !== 'boleto' || !issuer) throw notFound('Boleto');
  const payer = payerOf(await findTeam(recharge.teamId, platform), vault);
  const { barcode, digitableLine, ourNumber } = charge;
  return boletoSlip(
    {
      rechargeId: id,
      mode,
      status,
      amountCents: BigInt(recharge.amountCents),
      payer,
      createdAt,
      expiresAt,
      paidAt,
      barcode,
      digitableLine,
      ourNumber,
    },
    issuer,
  );
}
