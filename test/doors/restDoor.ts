import type { Json, RestAnswer } from '../harness/client.ts';
import type { TestServer } from '../harness/server.ts';
import type { BookingFilter, CallOptions, Door, Outcome, TransactionFilter } from './door.ts';

const api = '/api/v1';

export function headersOf({ idempotencyKey, headers }: CallOptions): Record<string, string> {
  return { ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }), ...headers };
}

export function outcomeOf({ status, headers, text, body }: RestAnswer): Outcome {
  const answered = {
    status,
    headers,
    text,
    meta: body._meta,
    replayed: headers.get('idempotent-replayed') === 'true',
  };
  return body.success
    ? { ...answered, ok: true, data: body.data }
    : { ...answered, ok: false, error: body.error };
}

/** The query string of a filter: each member as its text. */
export function queryOf(filter: TransactionFilter | BookingFilter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) query.append(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}

/** The documented REST endpoints. */
export function restDoor(server: () => TestServer): Door {
  const call = async (
    method: string,
    path: string,
    key: string | null,
    options: CallOptions = {},
    body?: Json,
  ): Promise<Outcome> =>
    outcomeOf(await server().rest(method, api + path, { key, body, headers: headersOf(options) }));
  const list = async (
    key: string | null,
    filter: BookingFilter,
    options: CallOptions = {},
  ): Promise<Outcome> => {
    const answer = await server().rest('GET', `${api}/bookings${queryOf(filter)}`, {
      key,
      headers: headersOf(options),
    });
    const outcome = outcomeOf(answer);
    const { pagination } = answer.body;
    return outcome.ok ? { ...outcome, data: { items: outcome.data, pagination } } : outcome;
  };
  const helper = (verb: string) => (key: string | null, id: string, options?: CallOptions) =>
    call('POST', `/test_helpers/recharges/${id}/${verb}`, key, options);
  return {
    name: 'REST',
    balance: (key, options) => call('GET', '/wallet/balance', key, options),
    transactions: (key, filter = {}, options) =>
      call('GET', `/wallet/transactions${queryOf(filter)}`, key, options),
    createRecharge: (key, input, options) => call('POST', '/wallet/recharge', key, options, input),
    getRecharge: (key, id, options) => call('GET', `/wallet/recharge/${id}`, key, options),
    payTest: helper('pay'),
    expireTest: helper('expire'),
    failTest: helper('fail'),
    createBooking: (key, input, options) => call('POST', '/bookings', key, options, input),
    bookings: (key, filter = {}, options) => list(key, filter, options),
    getBooking: (key, id, options) => call('GET', `/bookings/${id}`, key, options),
    confirmBooking: (key, id, input, options) => call('POST', `/bookings/${id}/confirm`, key, options, input),
    cancelBooking: (key, id, options) => call('POST', `/bookings/${id}/cancel`, key, options),
    expireTestBooking: (key, id, options) =>
      call('POST', `/test_helpers/bookings/${id}/expire`, key, options),
  };
}
