import { inSnakeCase } from '../flights/searches.ts';
import type { GraphqlAnswer, Json } from '../harness/client.ts';
import type { TestServer } from '../harness/server.ts';
import { bookingDocuments } from './bookingDocuments.ts';
import type { CallOptions, Door, Outcome } from './door.ts';
import { headersOf } from './restDoor.ts';

export const rechargeFields = `id amount currency status payment_method: paymentMethod paid_at: paidAt
  transaction_id: transactionId created_at: createdAt`;

export const transactionListFields = `transactions {
    id type amount currency description reference_type: referenceType reference_id: referenceId
    balance_after: balanceAfter payment_method: paymentMethod created_at: createdAt
  }
  pagination { page limit total pages }
  summary { total_credits: totalCredits total_debits: totalDebits period_start: periodStart period_end: periodEnd }`;

export const documents = {
  balance: `query {
    outcome: walletBalance {
      balance currency available_credit: availableCredit pending_amount: pendingAmount
      last_transaction_at: lastTransactionAt
    }
  }`,
  transactions: `query ($page: PageNumber, $limit: PageSize, $type: TransactionType, $start_date: Day, $end_date: Day) {
    outcome: walletTransactions(page: $page, limit: $limit, type: $type, startDate: $start_date, endDate: $end_date) {
      ${transactionListFields}
    }
  }`,
  createRecharge: `mutation ($amount: Amount!, $currency: Currency!, $payment_method: PaymentMethod!) {
    outcome: createRecharge(amount: $amount, currency: $currency, paymentMethod: $payment_method) {
      id amount currency status payment_method: paymentMethod created_at: createdAt
      payment {
        ... on PixPayment { pix_copy_paste: pixCopyPaste pix_qrcode_url: pixQrcodeUrl expires_at: expiresAt }
        ... on BoletoPayment {
          boleto_barcode: boletoBarcode boleto_url: boletoUrl boleto_pdf_url: boletoPdfUrl expires_at: expiresAt
        }
      }
    }
  }`,
  recharge: `query ($id: String!) { outcome: recharge(id: $id) { ${rechargeFields} } }`,
  ofRecharge: (mutation: string) =>
    `mutation ($id: String!) { outcome: ${mutation}(id: $id) { ${rechargeFields} } }`,
};

/** SPEC: "present when completed", "present for recharge credits", and the like; GraphQL has null in their place. */
const presentWhen = new Set([
  'paid_at',
  'transaction_id',
  'payment_method',
  'payment_required_by',
  'eticket_url',
  'issuing_country',
  'expires_on',
  'infant_passenger_id',
  'refund_amount',
  'penalty_amount',
  'refund_transaction_id',
  'confirmed_at',
  'ticketed_at',
  'ended_at',
]);

function withoutAbsent(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // The conditions of an offer keep their nulls (SPEC: "string or null").
      .filter(([name, member]) => member !== null || !presentWhen.has(name) || 'allowed' in value)
      .map(([name, member]) => [name, withoutAbsent(member)]),
  );
}

export function outcomeOf({ headers, text, body }: GraphqlAnswer): Outcome {
  const answered = {
    status: null,
    headers,
    text,
    meta: body.extensions?._meta,
    replayed: headers.get('idempotent-replayed') === 'true',
  };
  const [error] = body.errors ?? [];
  if (!error) return { ...answered, ok: true, data: withoutAbsent(inSnakeCase(body.data.outcome)) };
  const { code, details } = error.extensions;
  return { ...answered, ok: false, error: { code, message: error.message, details } };
}

/** The same operations as GraphQL clients send them; variables carry the names of the REST fields. */
export function graphqlDoor(server: () => TestServer): Door {
  const call = async (
    document: string,
    variables: object,
    key: string | null,
    options: CallOptions = {},
  ): Promise<Outcome> => outcomeOf(await server().graphql(document, variables, key, headersOf(options)));
  const ofRecharge = (mutation: string) => {
    const document = documents.ofRecharge(mutation);
    return (key: string | null, id: string, options?: CallOptions) => call(document, { id }, key, options);
  };
  return {
    name: 'GraphQL',
    balance: (key, options) => call(documents.balance, {}, key, options),
    transactions: (key, filter = {}, options) => call(documents.transactions, filter, key, options),
    createRecharge: (key, input, options) => call(documents.createRecharge, input, key, options),
    getRecharge: (key, id, options) => call(documents.recharge, { id }, key, options),
    payTest: ofRecharge('payTestRecharge'),
    expireTest: ofRecharge('expireTestRecharge'),
    failTest: ofRecharge('failTestRecharge'),
    createBooking: (key, input, options) => call(bookingDocuments.create, input, key, options),
    bookings: (key, filter = {}, options) => call(bookingDocuments.list, filter, key, options),
    getBooking: (key, id, options) => call(bookingDocuments.get, { id }, key, options),
    confirmBooking: (key, id, input = {}, options) =>
      call(bookingDocuments.confirm, { id, ...input }, key, options),
    cancelBooking: (key, id, options) => call(bookingDocuments.cancel, { id }, key, options),
    expireTestBooking: (key, id, options) => call(bookingDocuments.expireTest, { id }, key, options),
  };
}
