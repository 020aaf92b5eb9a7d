import type { Json } from '../harness/client.ts';
import type { Request } from './documentRuns.ts';

/** Documents whose meaning is easily lost, and what they mean for a key of test mode. */
export const queriesWithMeanings: Record<string, Request & { means: Json }> = {
  'a fragment that one place has and another has not': {
    query: `query ($yes: Boolean!) {
      with: walletBalance { currency ...A @include(if: $yes) } without: walletBalance { ...A }
    } fragment A on WalletBalance { balance }`,
    variables: { yes: false },
    means: { with: { currency: 'BRL' }, without: { balance: '5000.00' } },
  },
  'a fragment with and without a condition at one place': {
    query: `query ($no: Boolean!) { walletBalance { ...A @skip(if: $no) ...A } }
      fragment A on WalletBalance { balance }`,
    variables: { no: true },
    means: { walletBalance: { balance: '5000.00' } },
  },
  'a fragment inside of one with a condition': {
    query: `query ($yes: Boolean!) { walletBalance { ... @include(if: $yes) { ...A currency } ...B } }
      fragment A on WalletBalance { balance } fragment B on WalletBalance { ...A }`,
    variables: { yes: false },
    means: { walletBalance: { balance: '5000.00' } },
  },
  'a field with two conditions': {
    query: `query ($yes: Boolean!, $no: Boolean!) {
      walletBalance { currency @skip(if: $yes) @include(if: $no) balance @skip(if: $no) balance @skip(if: $yes) }
    }`,
    variables: { yes: true, no: false },
    means: { walletBalance: { balance: '5000.00' } },
  },
  'the name of the prototype of objects': {
    query: '{ walletBalance { __proto__: balance constructor: currency } }',
    means: { walletBalance: JSON.parse('{ "__proto__": "5000.00", "constructor": "BRL" }') },
  },
  'variables that are left out, and called like what every object has': {
    query: `query ($constructor: RechargeStatus, $toString: PageSize = 7) {
      recharges(status: $constructor, limit: $toString) { pagination { limit total } }
    }`,
    means: { recharges: { pagination: { limit: 7, total: 0 } } },
  },
};

/** Where a variable of null is refused, though it may be left out. */
export const placesOfNull: Record<
  string,
  { query: string; field: string; variables?: Record<string, unknown> }
> = {
  'an argument with a default': {
    query: 'query ($limit: PageSize) { recharges(limit: $limit) { pagination { limit } } }',
    field: 'limit',
  },
  'an argument with a default, by its own': {
    query: 'query ($limit: PageSize = null) { recharges(limit: $limit) { pagination { limit } } }',
    field: 'limit',
    variables: {},
  },
  'an argument that is required': {
    query: 'query ($id: String = "rch_1") { recharge(id: $id) { id } }',
    field: 'id',
  },
  'a member that is required': {
    query: `query ($type: PassengerType = adult) { flightSearch(search: {
      type: one_way
      slices: [{ origin: "GRU", destination: "GIG", departureDate: "2099-01-15" }]
      passengers: [{ type: $type, count: 1 }]
    }) { id } }`,
    field: 'type',
  },
  'an item of a list': {
    query:
      'query ($type: EventType = "wallet.debit") { webhookDeliveries(webhookId: "wh_1", eventType: [$type]) { next } }',
    field: 'type',
  },
  'a condition': {
    query: `query ($yes: Boolean = true) { ...A } fragment A on Query { walletBalance { balance @include(if: $yes) currency } }`,
    field: 'yes',
  },
};
