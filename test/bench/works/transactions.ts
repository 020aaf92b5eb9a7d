import { atLeast, contestWork, get } from '../contestWork.ts';

const path = '/api/v1/wallet/transactions?limit=100';

export const transactions = contestWork({
  title: 'Wallet transactions, 100 rows, 48 connections',
  takes: { once: 4, round: 3.1, timed: true },
  connections: 48,
  proof: /(?:\{"id":"txn_[^}]*\},?){100}/,
  asked: ({ ledgerKeys }) => [
    ['limit', 'limit', get('/transactions', ledgerKeys)],
    ['hand-written', 'handWritten', get('/transactions', ledgerKeys)],
    ['REST', 'memory', get(path, ledgerKeys)],
    ['REST, Redis limits', 'redis', get(path, ledgerKeys)],
    ['REST, embedded', 'embedded', get(path, ledgerKeys)],
  ],
  goals: [
    ...atLeast(0.65, 'limit', 'REST', 'REST, Redis limits'),
    ...atLeast(2.5, 'hand-written', 'REST', 'REST, Redis limits'),
  ],
});
