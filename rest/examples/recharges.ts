import type { Recharge } from '../../schema/rechargeObjects.ts';
import { credit, recharge } from '../../src/domain/events/examples.ts';
import { inCamelCase } from '../../src/domain/memberNames.ts';

/** By PIX and live, to the simulated provider. */
export const pendingRecharge: Recharge = {
  ...inCamelCase<Recharge>(recharge),
  payment: {
    __typename: 'PixPayment',
    pixCopyPaste:
      '00020126580014br.gov.bcb.pix01365a0c6d2e-7f41-4b3a-9c8d-1e2f3a4b5c6d52040000530398654071000.005802B' +
      'R5921Embarque Viagens Ltda6009Sao Paulo622905259UI3VZRW4SM3U8T93A3LXTRHT63040432',
    pixQrcodeUrl: `https://api.example.com/pix/${recharge.id}.png`,
    expiresAt: '2026-11-20T12:30:31.000Z',
  },
  paidAt: null,
  transactionId: null,
};

export const completedRecharge: Recharge = {
  ...pendingRecharge,
  status: 'completed',
  paidAt: '2026-11-20T12:01:08.000Z',
  transactionId: credit.id,
};

export const expiredRecharge: Recharge = { ...pendingRecharge, status: 'expired' };

export const failedRecharge: Recharge = { ...pendingRecharge, status: 'failed' };
