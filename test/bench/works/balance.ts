import { atLeast, contestWork, get, post } from '../contestWork.ts';

const query = JSON.stringify({
  query: '{ walletBalance { balance currency availableCredit pendingAmount lastTransactionAt } }',
});

const path = '/api/v1/wallet/balance';

export const balance = contestWork({
  title: 'Wallet balance, 48 connections',
  takes: { once: 17, round: 12, timed: true },
  connections: 48,
  proof: /"balance":"\d+\.\d\d"/,
  asked: ({ liveKeys }) => [
    ['limit', 'limit', get('/balance', liveKeys)],
    ['hand-written', 'handWritten', get('/balance', liveKeys)],
    ['REST', 'memorySingle', get(path, liveKeys)],
    ['REST, Redis limits', 'redisSingle', get(path, liveKeys)],
    ['REST, coalesced', 'memory', get(path, liveKeys)],
    ['REST, coalesced, Redis limits', 'redis', get(path, liveKeys)],
    ['GraphQL', 'memorySingle', post('/graphql', query, liveKeys, false)],
    ['GraphQL, Redis limits', 'redisSingle', post('/graphql', query, liveKeys, false)],
    ['GraphQL, coalesced', 'memory', post('/graphql', query, liveKeys, false)],
    ['yoga', 'yoga', post('/graphql', query, liveKeys, false)],
    ['mercurius jit', 'mercurius', post('/graphql', query, liveKeys, false)],
    ['SOFA', 'sofa', get('/sofa/wallet-balance', liveKeys)],
    ['REST, embedded', 'embedded', get(path, liveKeys)],
    ['GraphQL, embedded', 'embedded', post('/graphql', query, liveKeys, false)],
  ],
  goals: [
    ...atLeast(0.65, 'limit', 'REST', 'REST, Redis limits'),
    ...atLeast(3.5, 'hand-written', 'REST', 'REST, Redis limits'),
    ...atLeast(1.2, 'limit', 'REST, coalesced', 'REST, coalesced, Redis limits'),
    ...atLeast(0.6, 'limit', 'GraphQL', 'GraphQL, Redis limits'),
    ...atLeast(1, 'yoga', 'GraphQL'),
    ...atLeast(1, 'mercurius jit', 'GraphQL'),
    ...atLeast(1, 'SOFA', 'REST'),
  ],
});

export const balanceAlone = contestWork({
  title: 'Wallet balance, 1 connection',
  takes: { once: 3, round: 3.2, timed: true },
  connections: 1,
  proof: /"balance":"\d+\.\d\d"/,
  asked: ({ liveKeys }) => [
    ['limit', 'limit', get('/balance', liveKeys)],
    ['hand-written', 'handWritten', get('/balance', liveKeys)],
    ['REST', 'memory', get(path, liveKeys)],
    ['REST, Redis limits', 'redis', get(path, liveKeys)],
    ['REST, embedded', 'embedded', get(path, liveKeys)],
  ],
  goals: atLeast(0.85, 'limit', 'REST', 'REST, Redis limits'),
});
