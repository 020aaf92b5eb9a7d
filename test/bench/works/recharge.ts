import { atLeast, contestWork, post } from '../contestWork.ts';

const body = JSON.stringify({ amount: '100.00', currency: 'BRL', payment_method: 'pix' });

const path = '/api/v1/wallet/recharge';

export const recharge = contestWork({
  title: 'Recharge with Idempotency-Key, 16 connections',
  takes: { once: 3.5, round: 3.5, timed: true },
  connections: 16,
  proof: /"pix_?copy_?paste":"\d/i,
  prepare: (world) => world.renewAllowances(),
  asked: ({ liveKeys }) => [
    ['limit', 'limit', post('/recharges', body, liveKeys, true)],
    ['hand-written', 'handWritten', post('/recharges', body, liveKeys, true)],
    ['REST', 'memory', post(path, body, liveKeys, true)],
    ['REST, Redis limits', 'redis', post(path, body, liveKeys, true)],
    ['REST, embedded', 'embedded', post(path, body, liveKeys, true)],
  ],
  goals: atLeast(3, 'hand-written', 'REST', 'REST, Redis limits'),
});
