import type { Contender } from './contender.ts';
import type { Contest, Entrant } from './contest.ts';
import type { World } from './world.ts';

/** Servers by name; the peers and the Redis ones are missing where there is nothing to run them on. */
export type Contenders = Readonly<Partial<Record<ContenderName, Contender>>>;

/** `memory` and `redis` say where rate limits are counted; `single` sends one statement for each request. */
export type ContenderName =
  | 'limit'
  | 'handWritten'
  | 'memory'
  | 'memorySingle'
  | 'redis'
  | 'redisSingle'
  | 'embedded';

/** A ratio between two entrants that is to be reached. */
export interface Goal {
  readonly entrant: string;
  readonly to: string;
  readonly atLeast: number;
}

export interface Work {
  readonly title: string;
  readonly contest: Contest;
  readonly goals: readonly Goal[];
}

type EntrantRequest = Entrant['request'];

const balanceQuery = JSON.stringify({
  query: '{ walletBalance { balance currency availableCredit pendingAmount lastTransactionAt } }',
});
const rechargeBody = JSON.stringify({ amount: '100.00', currency: 'BRL', payment_method: 'pix' });

const get = (path: string, keys: readonly string[]): EntrantRequest => ({
  path,
  method: 'GET',
  keys,
  idempotent: false,
});
const post = (path: string, body: string, keys: readonly string[], idempotent: boolean): EntrantRequest => ({
  path,
  method: 'POST',
  body,
  keys,
  idempotent,
});

type Asked = [name: string, contender: ContenderName, request: EntrantRequest];

function entrants(contenders: Contenders, asked: readonly Asked[]): Entrant[] {
  return asked.flatMap(([name, contender, request]) => {
    const present = contenders[contender];
    return present ? [{ name, contender: present, request }] : [];
  });
}

const both = (atLeast: number, to: string, ...names: string[]): Goal[] =>
  names.map((entrant) => ({ entrant, to, atLeast }));

/** What is measured, with the goals for each. @param slice length in seconds. */
export function worksOf(contenders: Contenders, world: World, rounds: number, seconds: number): Work[] {
  const { liveKeys, ledgerKeys } = world;
  const common = { rounds, seconds };
  const balance = get('/api/v1/wallet/balance', liveKeys);
  const graphql = post('/graphql', balanceQuery, liveKeys, false);
  const page = get('/api/v1/wallet/transactions?limit=100', ledgerKeys);
  const recharge = post('/api/v1/wallet/recharge', rechargeBody, liveKeys, true);
  return [
    {
      title: 'Wallet balance, 48 connections',
      contest: {
        ...common,
        connections: 48,
        entrants: entrants(contenders, [
          ['limit', 'limit', get('/balance', liveKeys)],
          ['hand-written', 'handWritten', get('/balance', liveKeys)],
          ['REST', 'memorySingle', balance],
          ['REST, Redis limits', 'redisSingle', balance],
          ['REST, coalesced', 'memory', balance],
          ['REST, coalesced, Redis limits', 'redis', balance],
          ['GraphQL', 'memorySingle', graphql],
          ['GraphQL, Redis limits', 'redisSingle', graphql],
          ['GraphQL, coalesced', 'memory', graphql],
          ['REST, embedded', 'embedded', balance],
          ['GraphQL, embedded', 'embedded', graphql],
        ]),
      },
      goals: [
        ...both(0.65, 'limit', 'REST', 'REST, Redis limits'),
        ...both(3.5, 'hand-written', 'REST', 'REST, Redis limits'),
        ...both(1.2, 'limit', 'REST, coalesced', 'REST, coalesced, Redis limits'),
        ...both(0.6, 'limit', 'GraphQL', 'GraphQL, Redis limits'),
      ],
    },
    {
      title: 'Wallet balance, 1 connection',
      contest: {
        ...common,
        connections: 1,
        entrants: entrants(contenders, [
          ['limit', 'limit', get('/balance', liveKeys)],
          ['hand-written', 'handWritten', get('/balance', liveKeys)],
          ['REST', 'memory', balance],
          ['REST, Redis limits', 'redis', balance],
          ['REST, embedded', 'embedded', balance],
        ]),
      },
      goals: both(0.85, 'limit', 'REST', 'REST, Redis limits'),
    },
    {
      title: 'Wallet transactions, 100 rows, 48 connections',
      contest: {
        ...common,
        connections: 48,
        entrants: entrants(contenders, [
          ['limit', 'limit', get('/transactions', ledgerKeys)],
          ['hand-written', 'handWritten', get('/transactions', ledgerKeys)],
          ['REST', 'memory', page],
          ['REST, Redis limits', 'redis', page],
          ['REST, embedded', 'embedded', page],
        ]),
      },
      goals: [
        ...both(0.65, 'limit', 'REST', 'REST, Redis limits'),
        ...both(2.5, 'hand-written', 'REST', 'REST, Redis limits'),
      ],
    },
    {
      title: 'Recharge with Idempotency-Key, 16 connections',
      contest: {
        ...common,
        connections: 16,
        prepare: world.renewAllowances,
        entrants: entrants(contenders, [
          ['limit', 'limit', post('/recharges', rechargeBody, liveKeys, true)],
          ['hand-written', 'handWritten', post('/recharges', rechargeBody, liveKeys, true)],
          ['REST', 'memory', recharge],
          ['REST, Redis limits', 'redis', recharge],
          ['REST, embedded', 'embedded', recharge],
        ]),
      },
      goals: both(3, 'hand-written', 'REST', 'REST, Redis limits'),
    },
  ];
}
