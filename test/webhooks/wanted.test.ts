import { expect, it } from 'vitest';
import { Wanted } from '../../src/domain/webhooks/wanted.ts';

const names = (count: number) => Array.from({ length: count }, (_, number) => `wh_${number}`);

it('more than a thousand webhooks and wallets are looked at by looking at all, and fewer one by one', () => {
  const wanted = new Wanted();
  wanted.add({ webhookIds: names(999), walletIds: [1] });
  wanted.add({ webhookIds: names(999), walletIds: [1] });
  expect(wanted.take()).toEqual({ webhookIds: names(999), walletIds: [1] });
  wanted.add({ webhookIds: names(999), walletIds: [1] });
  wanted.add({ walletIds: [2] });
  expect(wanted.take()).toBe('all');
  expect(wanted.isEmpty).toBe(true);
});

it('all are looked at, whatever else is wanted before and after', () => {
  const wanted = new Wanted();
  wanted.add({ webhookIds: names(1) });
  wanted.add('all');
  wanted.add({ webhookIds: names(1_001) });
  expect(wanted.take()).toBe('all');
});
