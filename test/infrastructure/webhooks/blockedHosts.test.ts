import { expect, it } from 'vitest';
import {
  dnsLookup,
  type Lookup,
  type ResolvedAddress,
} from '../../../src/infrastructure/webhooks/resolver.ts';
import { ownPort } from '../../harness/ownPort.ts';
import { answer } from '../../harness/receiver.ts';
import { endlessMs, nameServer } from './nameServer.ts';
import { receiver, sender, timeoutMs } from './senders.ts';

const url = 'https://hooks.receiver.test/';
const v4 = (address: string): ResolvedAddress => ({ address, family: 4 });
const strict = (lookup: Lookup) => sender({ allowPrivateHosts: false, lookup });
const forgetful: Lookup = () => Promise.reject(new Error('SERVFAIL'));

it('a host whose name stands for a private address is blocked, among public ones too', async () => {
  expect(await strict(async () => [v4('10.0.0.1')]).isBlocked(url)).toBe(true);
  expect(await strict(async () => [v4('93.184.216.34'), v4('127.0.0.1')]).isBlocked(url)).toBe(true);
});

it('a host that is private by its text is blocked, and no name server asked', async () => {
  const { lookup, asked } = await nameServer({ A: ['93.184.216.34'] });
  const one = strict(lookup);
  for (const host of ['127.0.0.1', '[::1]', 'localhost', '2130706433'])
    expect(await one.isBlocked(`https://${host}/`)).toBe(true);
  expect(asked()).toBe(0);
});

it('a host is not blocked whose name stands for public addresses, or for none that can be told', async () => {
  expect(await strict(async () => [v4('93.184.216.34')]).isBlocked(url)).toBe(false);
  expect(await strict(async () => []).isBlocked(url)).toBe(false);
  expect(await strict(forgetful).isBlocked(url)).toBe(false);
  expect(await strict(dnsLookup(endlessMs, [`127.0.0.1:${await ownPort()}`])).isBlocked(url)).toBe(false);
  const { lookup } = await nameServer('silent');
  expect(await sender({ allowPrivateHosts: false, lookup, timeoutMs }).isBlocked(url)).toBe(false);
});

it('whether a host is blocked is asked without a connection to it', async () => {
  const target = await receiver(answer(200));
  const one = sender();
  expect(await one.isBlocked(target.url())).toBe(false);
  expect(target.connections).toBe(0);
  expect(one.stats()).toEqual({ attemptsUnderWay: 0, idleConnections: 0 });
});

it('a closed sender does not say whether a host is blocked', async () => {
  const one = sender();
  await one.close();
  await expect(one.isBlocked(url)).rejects.toThrow('the webhook sender is closed');
});
