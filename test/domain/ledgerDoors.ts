import { expect } from 'vitest';
import { rechargeFields, transactionListFields } from '../doors/graphqlDoor.ts';
import type { Json } from '../harness/client.ts';
import { sentAgain } from '../harness/sentAgain.ts';
import type { TestServer } from '../harness/server.ts';

/** What a call answered, in the same terms at both doors. `text` is the body as it came. */
export interface Answer {
  /** The REST value, or null for a refusal. */
  value: Json | null;
  refusal: { code: string; message: string } | null;
  text: string;
  replayed: boolean;
}

export type Door = 'rest' | 'graphql';

/** Which wallet a call is for: a key of its team, and the mode that the key selects. */
export interface Caller {
  mode: 'live' | 'test';
  key: string;
}

export interface ListFilter {
  type?: 'credit' | 'debit';
  start_date?: string;
  end_date?: string;
}

const byId = (field: string, kind = 'mutation') =>
  `${kind} ($id: String!) { value: ${field}(id: $id) { ${rechargeFields} } }`;

const documents = {
  create: `mutation ($amount: Amount!, $method: PaymentMethod!) {
    value: createRecharge(amount: $amount, currency: BRL, paymentMethod: $method) {
      id amount currency status payment_method: paymentMethod created_at: createdAt
      payment { ... on PixPayment { expires_at: expiresAt } ... on BoletoPayment { expires_at: expiresAt } }
    }
  }`,
  read: byId('recharge', 'query'),
  cancel: byId('cancelRecharge'),
  pay: byId('payTestRecharge'),
  expire: byId('expireTestRecharge'),
  fail: byId('failTestRecharge'),
  balance: `{ value: walletBalance {
    balance available_credit: availableCredit pending_amount: pendingAmount last_transaction_at: lastTransactionAt
  } }`,
  list: `query ($page: PageNumber!, $limit: PageSize!, $type: TransactionType, $start_date: Day, $end_date: Day) {
    value: walletTransactions(page: $page, limit: $limit, type: $type, startDate: $start_date, endDate: $end_date) {
      ${transactionListFields}
    }
  }`,
};

/** Calls of the wallet's operations through either door. A fault of the server's own fails the test. */
export class LedgerDoors {
  readonly #server: Pick<TestServer, 'rest' | 'graphql'>;

  constructor(server: Pick<TestServer, 'rest' | 'graphql'>) {
    this.#server = server;
  }

  create(
    door: Door,
    caller: Caller,
    amount: string,
    method: string,
    idempotencyKey: string,
  ): Promise<Answer> {
    const headers = { 'idempotency-key': idempotencyKey };
    return door === 'rest'
      ? this.#rest('POST', '/api/v1/wallet/recharge', caller, {
          headers,
          body: { amount, currency: 'BRL', payment_method: method },
        })
      : this.#graphql(documents.create, { amount, method }, caller, headers);
  }

  read(door: Door, caller: Caller, id: string): Promise<Answer> {
    return door === 'rest'
      ? this.#rest('GET', `/api/v1/wallet/recharge/${id}`, caller)
      : this.#graphql(documents.read, { id }, caller);
  }

  /** Live recharges are paid at the simulated bank, at `paidAt` or now; those of the sandbox by its helper, now. */
  pay(door: Door, caller: Caller, id: string, paidAt: Date | null): Promise<Answer> {
    if (caller.mode === 'live') {
      return this.#rest('POST', `/simulator/recharges/${id}/pay`, caller, {
        body: paidAt ? { paid_at: paidAt.toISOString() } : {},
      });
    }
    return this.help(door, caller, id, 'pay');
  }

  /** The sandbox's helpers, which are closed to live keys. */
  help(door: Door, caller: Caller, id: string, verb: 'pay' | 'expire' | 'fail'): Promise<Answer> {
    return door === 'rest'
      ? this.#rest('POST', `/api/v1/test_helpers/recharges/${id}/${verb}`, caller)
      : this.#graphql(documents[verb], { id }, caller);
  }

  /** SPEC has no REST endpoint for it. */
  cancel(caller: Caller, id: string): Promise<Answer> {
    return this.#graphql(documents.cancel, { id }, caller);
  }

  balance(door: Door, caller: Caller): Promise<Answer> {
    return door === 'rest'
      ? this.#rest('GET', '/api/v1/wallet/balance', caller)
      : this.#graphql(documents.balance, {}, caller);
  }

  list(door: Door, caller: Caller, filter: ListFilter, page: number, limit: number): Promise<Answer> {
    const query = new URLSearchParams({ ...filter, page: String(page), limit: String(limit) });
    return door === 'rest'
      ? this.#rest('GET', `/api/v1/wallet/transactions?${query}`, caller)
      : this.#graphql(documents.list, { ...filter, page, limit }, caller);
  }

  async #rest(
    method: string,
    path: string,
    caller: Caller,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const send = () => this.#server.rest(method, path, { key: caller.key, ...options });
    const { status, body, text, headers } = await sentAgain(send);
    expect(status, text).toBeLessThan(500);
    expect(body._meta?.test_mode, text).toBe(caller.mode === 'test' ? true : undefined);
    const replayed = headers.get('idempotent-replayed') === 'true';
    return body.success
      ? { value: body.data, refusal: null, text, replayed }
      : { value: null, refusal: { code: body.error.code, message: body.error.message }, text, replayed };
  }

  async #graphql(
    query: string,
    variables: object,
    caller: Caller,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await sentAgain(() => this.#server.graphql(query, variables, caller.key, headers));
    const { text } = answer;
    const replayed = answer.headers.get('idempotent-replayed') === 'true';
    const error = answer.body.errors?.[0];
    expect(error?.extensions.code, text).not.toBe('INTERNAL_ERROR');
    expect(answer.body.extensions?._meta?.test_mode, text).toBe(caller.mode === 'test' ? true : undefined);
    return error
      ? { value: null, refusal: { code: error.extensions.code, message: error.message }, text, replayed }
      : { value: answer.body.data.value, refusal: null, text, replayed };
  }
}
