import type { Recharge } from '../../schema/rechargeObjects.ts';
import type { RechargeStatus } from '../../src/domain/recharges/recharge.ts';
import {
  alreadyEnded,
  amountTooLarge,
  amountTooSmall,
  dailyLimitExceeded,
  methodNotAvailable,
  payerRefusals,
  providerNotConnected,
  providerUnavailable,
  rechargeNotFound,
} from '../../src/domain/recharges/refusals.ts';
import { badValueMessages, validationError } from '../../src/errors.ts';
import {
  completedRecharge,
  expiredRecharge,
  failedRecharge,
  pendingRecharge,
} from '../examples/recharges.ts';
import type { Route } from '../route.ts';

const rechargeState = `{
        id
        amount
        currency
        status
        payment_method: paymentMethod
        paid_at: paidAt @omitNull
        transaction_id: transactionId @omitNull
        created_at: createdAt
      }`;

/** `ended`: the states in which it is refused. */
const testHelper = (
  name: string,
  verb: string,
  summary: string,
  answerExample: Recharge,
  ended: RechargeStatus[],
): Route => ({
  name,
  method: 'post',
  path: `/test_helpers/recharges/:id/${verb}`,
  status: 200,
  envelope: 'data',
  tag: 'Test helpers',
  summary,
  answerExample,
  refusals: [rechargeNotFound(), ...ended.map(alreadyEnded)],
  document: `mutation TestHelper($id: String!) { ${name}(id: $id) ${rechargeState} }`,
});

/** Paying one that is paid changes nothing, and is no fault. */
const unpaidEnds: RechargeStatus[] = ['expired', 'failed', 'cancelled'];
const ends: RechargeStatus[] = ['completed', ...unpaidEnds];

export const rechargeRoutes: readonly Route[] = [
  {
    name: 'createRecharge',
    method: 'post',
    path: '/wallet/recharge',
    status: 201,
    envelope: 'data',
    tag: 'Recharges',
    summary: 'Request a recharge and get its payment instructions',
    answerName: 'CreatedRecharge',
    example: { amount: pendingRecharge.amount, currency: pendingRecharge.currency, payment_method: 'pix' },
    answerExample: pendingRecharge,
    refusals: [
      amountTooSmall(),
      amountTooLarge(),
      validationError({ field: 'currency', type: 'invalid' }, badValueMessages.currency),
      validationError({ field: 'paymentMethod', type: 'invalid' }, badValueMessages.paymentMethod),
      dailyLimitExceeded(),
      providerNotConnected(),
      methodNotAvailable(),
      payerRefusals.tax_id_required,
      payerRefusals.address_required,
      payerRefusals.refused,
      providerUnavailable,
    ],
    document: `mutation CreateRecharge($amount: Amount!, $currency: Currency!, $payment_method: PaymentMethod!) {
      createRecharge(amount: $amount, currency: $currency, paymentMethod: $payment_method) {
        id
        amount
        currency
        status
        payment_method: paymentMethod
        payment {
          ... on PixPayment {
            pix_copy_paste: pixCopyPaste
            pix_qrcode_url: pixQrcodeUrl
            expires_at: expiresAt
          }
          ... on BoletoPayment {
            boleto_barcode: boletoBarcode
            boleto_url: boletoUrl
            boleto_pdf_url: boletoPdfUrl
            expires_at: expiresAt
          }
        }
        created_at: createdAt
      }
    }`,
  },
  {
    name: 'getRecharge',
    method: 'get',
    path: '/wallet/recharge/:id',
    status: 200,
    envelope: 'data',
    tag: 'Recharges',
    summary: 'State of a recharge',
    answerExample: completedRecharge,
    refusals: [rechargeNotFound()],
    document: `query GetRecharge($id: String!) {
      recharge(id: $id) ${rechargeState}
    }`,
  },
  testHelper('payTestRecharge', 'pay', 'Pay a recharge of the sandbox', completedRecharge, unpaidEnds),
  testHelper('expireTestRecharge', 'expire', 'Let a recharge of the sandbox expire', expiredRecharge, ends),
  testHelper('failTestRecharge', 'fail', 'Make a recharge of the sandbox fail', failedRecharge, ends),
];
