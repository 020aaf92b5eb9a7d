import type { Recharge } from '../../schema/rechargeObjects.ts';

const id = 'rch_01m7yj3c1nfzt8w4e6j0b2q5vk';

/** By PIX, to the simulated provider. */
export const pendingRecharge: Recharge = {
  id,
  amount: '5000.00',
  currency: 'BRL',
  status: 'pending',
  paymentMethod: 'pix',
  payment: {
    __typename: 'PixPayment',
    pixCopyPaste:
      '00020126580014br.gov.bcb.pix01365a0c6d2e-7f41-4b3a-9c8d-1e2f3a4b5c6d52040000530398654075000.005802BR' +
      '5915TESTE SEM VALOR6009Sao Paulo62290525EAURSQPL4E93M7ZIA36MR1TIS63043DBE',
    pixQrcodeUrl: `https://api.example.com/pix/${id}.png`,
    expiresAt: '2026-11-20T12:30:31.000Z',
  },
  paidAt: null,
  transactionId: null,
  createdAt: '2026-11-20T12:00:31.000Z',
};

export const completedRecharge: Recharge = {
  ...pendingRecharge,
  status: 'completed',
  paidAt: '2026-11-20T12:01:12.480Z',
  transactionId: 'txn_01m7yj4k8pe3ar7d5x2z9s6hgm',
};

export const expiredRecharge: Recharge = { ...pendingRecharge, status: 'expired' };

export const failedRecharge: Recharge = { ...pendingRecharge, status: 'failed' };
