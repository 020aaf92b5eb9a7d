import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  dnsLookup,
  type Lookup,
  NameServersAway,
  type ResolvedAddress,
} from '../../../src/infrastructure/webhooks/resolver.ts';
import { createWebhookSender } from '../../../src/infrastructure/webhooks/sender.ts';
import { testCertificates } from '../../harness/certificates.ts';
import { eventually } from '../../harness/client.ts';
import { ownPort } from '../../harness/ownPort.ts';
import { answer, startReceiver } from '../../harness/receiver.ts';
import { endlessMs, nameServer } from './nameServer.ts';
import { listening, patientMs } from './senders.ts';

const v4 = (address: string): ResolvedAddress => ({ address, family: 4 });
const v6 = (address: string): ResolvedAddress => ({ address, family: 6 });

/** A sender as in production, except for the authority it trusts and the names it knows. */
async function strictSender(lookup: Lookup) {
  const { authority: ca } = await testCertificates();
  const sender = createWebhookSender({ timeoutMs: patientMs, ca, lookup });
  onTestFinished(() => sender.close());
  return sender;
}

async function receiverOnLoopback() {
  const receiver = await startReceiver(answer(200));
  onTestFinished(() => receiver.close());
  return receiver;
}

const post = (url: string) => ({ url, headers: {}, body: '{}' });

describe('a private host', () => {
  it.each([
    ['loopback', [v4('127.0.0.1')]],
    ['loopback, mapped', [v6('::ffff:127.0.0.1')]],
    ['metadata', [v4('169.254.169.254')]],
    ['one private address among public ones', [v4('93.184.216.34'), v6('2606:4700::1111'), v4('127.0.0.1')]],
    ['one private IPv6 address behind a public one', [v4('93.184.216.34'), v6('::1')]],
    [
      'more addresses than are tried, the last one private',
      [...Array(6).fill(v4('93.184.216.34')), v4('127.0.0.1')],
    ],
  ])('behind a public name is not connected to: %s', async (_name, addresses) => {
    const receiver = await receiverOnLoopback();
    const sender = await strictSender(async () => addresses);
    const outcome = await sender.send(post(receiver.url('/', 'hooks.receiver.test')));
    expect(outcome).toMatchObject({ ok: false, statusCode: null, reason: 'blocked_address' });
    expect(receiver.connections).toBe(0);
  });

  it('spelt out in the URL is not even looked up', async () => {
    const receiver = await receiverOnLoopback();
    const lookup = vi.fn<Lookup>(async () => [v4('127.0.0.1')]);
    const sender = await strictSender(lookup);
    for (const host of [
      '127.0.0.1',
      '[::ffff:7f00:1]',
      '2130706433',
      '0x7f.1',
      'localhost',
      'a.localhost.',
    ]) {
      expect((await sender.send(post(receiver.url('/', host)))).reason).toBe('blocked_address');
      expect(await sender.reachable(receiver.url('/', host))).toEqual({
        reachable: false,
        reason: 'blocked_address',
      });
    }
    expect(lookup).not.toHaveBeenCalled();
    expect(receiver.connections).toBe(0);
  });

  it('gives the same outcome whether its port is open, closed or anything else', async () => {
    const open = await receiverOnLoopback();
    const closed = await startReceiver(answer(200));
    await closed.close();
    const sender = await strictSender(async () => [v4('127.0.0.1')]);
    const outcomes = await Promise.all(
      ['hooks.receiver.test', '127.0.0.1'].flatMap((host) => [
        sender.send(post(open.url('/', host))),
        sender.send(post(closed.url('/', host))),
      ]),
    );
    for (const outcome of outcomes) {
      expect({ ...outcome, durationMs: 0 }).toEqual({
        ok: false,
        statusCode: null,
        reason: 'blocked_address',
        detail: 'the host is not a public address',
        durationMs: 0,
        responseExcerpt: '',
      });
    }
  });

  it('is judged at every connection, and the judged address is the one connected to', async () => {
    const receiver = await receiverOnLoopback();
    const answers = [[v4('127.0.0.1')], [v4('169.254.169.254')], [v4('127.0.0.1')]];
    const lookup = vi.fn<Lookup>(async () => answers.shift()!);
    const sender = createWebhookSender({
      timeoutMs: patientMs,
      allowPrivateHosts: true,
      ca: (await testCertificates()).authority,
      lookup,
    });
    onTestFinished(() => sender.close());
    receiver.behave(answer(200, '', { Connection: 'close' }));
    expect((await sender.send(post(receiver.url('/', 'hooks.receiver.test')))).ok).toBe(true);
    // One look-up for one connection: a second one in between could have answered anything.
    expect(lookup).toHaveBeenCalledTimes(1);

    const strict = await strictSender(lookup);
    expect((await strict.send(post(receiver.url('/', 'hooks.receiver.test')))).reason).toBe(
      'blocked_address',
    );
    expect((await strict.send(post(receiver.url('/', 'hooks.receiver.test')))).reason).toBe(
      'blocked_address',
    );
    expect(receiver.connections).toBe(1);
  });

  it('may be called over https, and only so, when private hosts are allowed', async () => {
    const receiver = await receiverOnLoopback();
    const ca = (await testCertificates()).authority;
    const sender = createWebhookSender({ timeoutMs: patientMs, allowPrivateHosts: true, ca });
    onTestFinished(() => sender.close());
    expect((await sender.send(post(receiver.url()))).ok).toBe(true);
    expect((await sender.send(post(receiver.url().replace('https', 'http')))).reason).toBe('invalid_url');
  });
});

describe('dnsLookup', () => {
  /** How long IPv6 is waited for once IPv4 has addresses. */
  const lateFamilyMs = 100;

  const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

  it('asks for both families', async () => {
    const { lookup } = await nameServer({ A: ['93.184.216.34', '10.0.0.1'], AAAA: ['2606:4700::1111'] });
    expect(await lookup('hooks.receiver.test', new AbortController().signal)).toEqual([
      v4('93.184.216.34'),
      v4('10.0.0.1'),
      v6('2606:4700::1111'),
    ]);
  });

  it('makes do with one family', async () => {
    const { lookup } = await nameServer({ A: ['93.184.216.34'] });
    expect(await lookup('hooks.receiver.test', new AbortController().signal)).toEqual([v4('93.184.216.34')]);
  });

  it('has nothing when the server says so', async () => {
    const { lookup } = await nameServer({});
    expect(await lookup('hooks.receiver.test', new AbortController().signal)).toEqual([]);
  });

  it('blames no receiver when no server of ours takes the question', async () => {
    const sender = await strictSender(dnsLookup(endlessMs, [`127.0.0.1:${await ownPort()}`]));
    await expect(sender.send(post('https://hooks.receiver.test/'))).rejects.toThrow(NameServersAway);
    const answer = await sender.reachable('https://hooks.receiver.test/');
    expect(answer).toEqual({ reachable: false, reason: 'dns' });
  });

  it('has nothing where a server that takes no question any more was waited for before', async () => {
    const { port, asked, leave } = await nameServer('silent');
    // It is asked again after a fifth of that, in which it goes.
    const sender = await strictSender(dnsLookup(2_000, [`127.0.0.1:${port}`]));
    const sending = sender.send(post('https://hooks.receiver.test/'));
    await eventually(() => asked() >= 2);
    leave();
    expect(await sending).toMatchObject({ ok: false, reason: 'dns' });
  });

  it.each(['takes nothing over TCP', 'resets what comes over TCP'])(
    'has nothing where the server is there, has more to say than UDP carries, and %s',
    async (manner) => {
      const { lookup, port } = await nameServer('truncated');
      if (manner.startsWith('resets'))
        await listening(
          createServer((tcp) => tcp.resetAndDestroy()),
          port,
        );
      const sender = await strictSender(lookup);
      expect(await sender.send(post('https://hooks.receiver.test/'))).toMatchObject({
        ok: false,
        reason: 'dns',
      });
    },
  );

  it('waits a short while for IPv6 where IPv4 has addresses', async () => {
    const { lookup } = await nameServer({ A: ['93.184.216.34'] }, 28);
    expect(await lookup('hooks.receiver.test', new AbortController().signal)).toEqual([v4('93.184.216.34')]);
  });

  it('reads what has come of IPv6 by the end of that while, in a process that stood still', async () => {
    const late = await nameServer({ A: ['93.184.216.34'], AAAA: ['2606:4700::1111'] }, 28);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const looking = late.lookup('hooks.receiver.test', new AbortController().signal);
    const isHurried = () => timers.mock.calls.some(([, ms]) => ms === lateFamilyMs);
    // Until IPv6 has been asked for, and IPv4 has been read.
    while (late.asked() < 2 || !isHurried()) await new Promise(setImmediate);
    late.speak();
    // A datagram leaves in a tick of its own, and with it whatever is left of this turn of the event loop.
    await new Promise(process.nextTick);
    standStill(2 * lateFamilyMs);
    expect(await looking).toEqual([v4('93.184.216.34'), v6('2606:4700::1111')]);
  });

  it.each([
    ['IPv6 where IPv4 has nothing', 28, { AAAA: ['2606:4700::1111'] }, [v6('2606:4700::1111')]],
    [
      'IPv4 in any case',
      1,
      { A: ['93.184.216.34'], AAAA: ['2606:4700::1111'] },
      [v4('93.184.216.34'), v6('2606:4700::1111')],
    ],
  ])('waits for %s', async (_what, silentOn, records, found) => {
    const late = await nameServer(records, silentOn);
    const looking = late.lookup('hooks.receiver.test', new AbortController().signal);
    await eventually(() => late.asked() === 2);
    // As long as another name is waited for.
    const { lookup } = await nameServer({ A: ['93.184.216.34'] }, 28);
    await lookup('hooks.other.test', new AbortController().signal);
    late.speak();
    expect(await looking).toEqual(found);
  });

  it('blocks a private answer, and one private answer among others', async () => {
    for (const A of [['127.0.0.1'], ['93.184.216.34', '192.168.0.1']]) {
      const sender = await strictSender((await nameServer({ A })).lookup);
      expect((await sender.send(post('https://hooks.receiver.test/'))).reason).toBe('blocked_address');
    }
  });

  it('stops asking when it is no longer wanted', async () => {
    const { lookup, asked } = await nameServer('silent');
    const wanted = new AbortController();
    const looking = lookup('hooks.receiver.test', wanted.signal);
    await eventually(() => asked() > 0);
    wanted.abort();
    expect(await looking).toEqual([]);
  });
});
