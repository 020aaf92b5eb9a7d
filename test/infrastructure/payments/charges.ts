import {
  type BoletoCharge,
  type BoletoSlip,
  boletoSlip,
} from '../../../src/infrastructure/payments/boletoSlip.ts';
import type { ChargeArtefacts, ChargeRequest, Payer } from '../../../src/infrastructure/payments/provider.ts';
import { simulatedPaymentProvider } from '../../../src/infrastructure/payments/simulated.ts';

const provider = simulatedPaymentProvider();
const { signal } = new AbortController();

export const payer: Payer = { name: 'Agência Céu Azul Turismo', taxId: null, address: null };

const request: ChargeRequest = {
  rechargeId: 'rch_01kaemx5j2fz5s2c1z9d3v0b7q',
  mode: 'live',
  method: 'pix',
  amountCents: 123_456n,
  payer,
  createdAt: new Date('2026-11-19T15:00:00.000Z'),
  expiresAt: new Date('2026-11-26T02:59:59.000Z'),
};

export async function pixCharge(changes: Partial<ChargeRequest> = {}) {
  const artefacts = await provider.createCharge({ ...request, ...changes, method: 'pix' }, { signal });
  return artefacts as Extract<ChargeArtefacts, { method: 'pix' }>;
}

export async function boletoCharge(changes: Partial<ChargeRequest> = {}) {
  const artefacts = await provider.createCharge({ ...request, ...changes, method: 'boleto' }, { signal });
  return artefacts as Extract<ChargeArtefacts, { method: 'boleto' }>;
}

/** A printed boleto of the simulated provider. */
export async function someSlip(
  changes: Partial<ChargeRequest & Pick<BoletoCharge, 'status' | 'paidAt'>> = {},
): Promise<BoletoSlip> {
  const charge = { ...request, status: 'pending' as const, paidAt: null, ...changes };
  if (!provider.boletoIssuer) throw new Error('The simulated provider prints boletos');
  return boletoSlip({ ...charge, ...(await boletoCharge(changes)) }, provider.boletoIssuer);
}
