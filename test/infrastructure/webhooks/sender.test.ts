import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../harness/client.ts';
import { monotonicClock } from '../../harness/monotonicClock.ts';
import { answer, startReceiver } from '../../harness/receiver.ts';
import { listening, onLoopback, patientMs, post, receiver, sender, timeoutMs } from './senders.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

describe('send', () => {
  it('puts exactly the given request on the wire', async () => {
    const target = await receiver(answer(202, 'thank you', { 'Content-Type': 'text/plain' }));
    const body = Buffer.from('{"saldo":"é ✈"}');
    const outcome = await sender().send(
      post(target.url('/hook/x?a=%20b&c=d'), body, { 'X-One': '1', Authorization: 'Bearer t' }),
    );

    expect(outcome).toEqual({
      ok: true,
      statusCode: 202,
      reason: 'ok',
      detail: 'answered 202',
      durationMs: expect.any(Number),
      responseExcerpt: 'thank you',
    });
    expect(target.requests).toEqual([
      {
        method: 'POST',
        path: '/hook/x?a=%20b&c=d',
        body,
        connection: 1,
        headers: {
          host: `localhost:${target.port}`,
          'user-agent': 'Embarque-Webhooks/1.0',
          accept: '*/*',
          'accept-encoding': 'identity',
          connection: 'keep-alive',
          'x-one': '1',
          authorization: 'Bearer t',
          'content-length': String(body.length),
        },
      },
    ]);
  });

  it.each([
    [200, 'ok'],
    [299, 'ok'],
    [300, 'redirect'],
    [304, 'redirect'],
    [308, 'redirect'],
    [400, 'http_status'],
    [410, 'http_status'],
    [503, 'http_status'],
    [999, 'http_status'],
  ])('calls %i %s', async (status, reason) => {
    const target = await receiver(answer(status));
    const outcome = await sender().send(post(target.url()));
    expect(outcome).toMatchObject({ ok: reason === 'ok', statusCode: status, reason });
    expect(target.requests).toHaveLength(1);
  });

  it('delivers a large body whole', async () => {
    const target = await receiver(answer(200));
    const body = Buffer.alloc(5_000_000, 'abcdefg');
    const outcome = await sender().send(post(target.url(), body));
    expect(outcome.ok).toBe(true);
    expect(target.requests[0]!.body.equals(body)).toBe(true);
  });

  it('refuses headers that would change the message, before anything is sent', async () => {
    const target = await receiver(answer(200));
    const refused: Record<string, string>[] = [
      { 'X-Bad': 'a\r\nX-Injected: b' },
      { 'X Bad': 'a' },
      { 'X-Bad': 'não ✈' },
      { Host: 'internal' },
      { 'content-length': '0' },
      { 'Transfer-Encoding': 'chunked' },
    ];
    const one = sender();
    for (const headers of refused) {
      await expect(one.send(post(target.url(), '{}', headers))).rejects.toThrow(TypeError);
    }
    expect(target.connections).toBe(0);
  });
});

describe('a receiver out of reach', () => {
  it('that refuses connections', async () => {
    const gone = await startReceiver(answer(200));
    await gone.close();
    expect(await sender().send(post(gone.url()))).toMatchObject({
      ok: false,
      statusCode: null,
      reason: 'connection_refused',
    });
  });

  it('that the system has no route to, and says so at once', async () => {
    // No address of one machine, so that no system connects to it.
    const broadcast = async () => [{ address: '255.255.255.255', family: 4 as const }];
    const one = sender({ lookup: broadcast });
    expect(await one.send(post('https://hooks.receiver.test/'))).toMatchObject({
      ok: false,
      reason: 'unreachable',
    });
    expect(await one.reachable('https://hooks.receiver.test/')).toEqual({
      reachable: false,
      reason: 'unreachable',
    });
    expect(one.stats()).toEqual({ attemptsUnderWay: 0, idleConnections: 0 });
  });

  it('whose name does not resolve', async () => {
    const outcomes = await Promise.all([
      sender({ lookup: async () => [] }).send(post('https://hooks.receiver.test/')),
      sender({ lookup: () => Promise.reject(new Error('SERVFAIL')) }).send(
        post('https://hooks.receiver.test/'),
      ),
    ]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ ok: false, statusCode: null, reason: 'dns' });
  });

  it('whose name this machine lacks the descriptors to ask for: that is no attempt', async () => {
    const lookup = () =>
      Promise.reject(Object.assign(new Error('getaddrinfo EMFILE hooks.receiver.test'), { code: 'EMFILE' }));
    await expect(sender({ lookup }).send(post('https://hooks.receiver.test/'))).rejects.toThrow(
      'getaddrinfo EMFILE',
    );
  });

  it('whose name server is silent: the lookup is given up at the timeout', async () => {
    let aborted = false;
    const lookup = (_hostname: string, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('cancelled'));
        });
      });
    const outcome = await sender({ lookup, timeoutMs }).send(post('https://hooks.receiver.test/'));
    expect(outcome).toMatchObject({
      reason: 'timeout',
      detail: `no status line within ${timeoutMs} ms (resolving the host name)`,
    });
    expect(aborted).toBe(true);
  });

  it('that accepts and says nothing', async () => {
    const { port, openSockets } = await listening(createTcpServer((socket) => socket.resume()));
    const outcome = await sender({ timeoutMs }).send(post(`https://localhost:${port}/`));
    expect(outcome).toMatchObject({
      reason: 'timeout',
      detail: `no status line within ${timeoutMs} ms (agreeing on TLS)`,
    });
    await eventually(() => openSockets() === 0);
  });

  it('whose answer comes too late, and is read before the timer goes off', async () => {
    const clock = monotonicClock();
    const target = await receiver((request, socket) => {
      clock.pass(patientMs + 1);
      answer(200)(request, socket);
    });
    const outcome = await sender().send(post(target.url()));
    expect(outcome).toMatchObject({ ok: false, statusCode: null, reason: 'timeout' });
  });

  it('that hangs up before TLS is agreed on', async () => {
    const { port } = await listening(createTcpServer((socket) => socket.end()));
    const outcome = await sender().send(post(`https://localhost:${port}/`));
    expect(outcome).toMatchObject({ ok: false, reason: 'connection_reset' });
  });

  it('that speaks HTTP without TLS', async () => {
    const { port } = await listening(createHttpServer());
    const outcome = await sender().send(post(`https://localhost:${port}/`));
    expect(outcome).toMatchObject({ ok: false, reason: 'tls_handshake' });
  });

  it('has four of its addresses tried: a name must not have us knock at hundreds of doors', async () => {
    const target = await receiver(answer(200));
    const behind = (refusing: number) => async () =>
      [...Array.from({ length: refusing }, (_, index) => `127.0.0.${index + 2}`), '127.0.0.1'].map(
        (address) => ({ address, family: 4 as const }),
      );
    const send = (refusing: number) => sender({ lookup: behind(refusing) }).send(post(target.url()));
    expect(await send(3)).toMatchObject({ ok: true });
    expect(await send(4)).toMatchObject({ ok: false, reason: 'connection_refused' });
    expect(target.connections).toBe(1);
  });

  it.runIf(hasIpv6)('tries IPv6 in turn with IPv4, however many addresses there are of that', async () => {
    const target = await receiver(answer(200), { host: '::1' });
    const four = Array.from({ length: 4 }, (_, index) => `127.0.0.${index + 2}`);
    const lookup = async () => [
      ...four.map((address) => ({ address, family: 4 as const })),
      { address: '::1', family: 6 as const },
    ];
    expect(await sender({ lookup }).send(post(target.url()))).toMatchObject({ ok: true });
  });

  it('tries the other addresses of a name when one refuses', async () => {
    const target = await receiver(answer(200));
    const lookup = async () => ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 as const }));
    expect(await sender({ lookup }).send(post(target.url('/', 'hooks.receiver.test')))).toMatchObject({
      ok: true,
    });
  });
});

describe('certificates', () => {
  it('are held against the name in the URL, whatever address it stands for', async () => {
    const names: unknown[] = [];
    const target = await receiver(answer(200), { onConnection: (socket) => names.push(socket.servername) });
    const trusting = sender({ lookup: onLoopback });
    expect((await trusting.send(post(target.url('/', 'hooks.receiver.test')))).reason).toBe('ok');
    expect((await trusting.send(post(target.url('/', 'hooks.other.test')))).reason).toBe('tls_certificate');
    // Servers with many names choose the certificate by the one we ask for (RFC 6066 §3).
    expect(names[0]).toBe('hooks.receiver.test');
  });

  it('are held against the address when the URL has one', async () => {
    const names: unknown[] = [];
    const target = await receiver(answer(200), { onConnection: (socket) => names.push(socket.servername) });
    expect((await sender().send(post(target.url('/', '127.0.0.1')))).reason).toBe('ok');
    const other = await receiver(answer(200), { host: '127.0.0.2' });
    expect((await sender().send(post(other.url('/', '127.0.0.2')))).reason).toBe('tls_certificate');
    expect(other.requests).toEqual([]);
    // An address is no name to ask for (RFC 6066 §3).
    expect(names).toEqual([false]);
  });

  it.runIf(hasIpv6)('are accepted for an IPv6 address', async () => {
    const target = await receiver(answer(200), { host: '::1' });
    expect((await sender().send(post(target.url('/', '[::1]')))).reason).toBe('ok');
  });
});

describe('close', () => {
  it('lets attempts under way finish, drops what is idle, and takes no more', async () => {
    let release = (): void => {};
    const target = await receiver(answer(200));
    const one = sender();
    await Promise.all([one.send(post(target.url())), one.send(post(target.url()))]);
    const written = new Promise<void>((resolve) => {
      target.behave((request, socket) => {
        release = () => answer(201)(request, socket);
        resolve();
      });
    });
    const underWay = one.send(post(target.url()));
    await written;
    const closing = one.close();
    await expect(one.send(post(target.url()))).rejects.toThrow('closed');
    await eventually(() => target.openSockets() === 1);
    release();
    expect((await underWay).statusCode).toBe(201);
    await closing;
    await eventually(() => target.openSockets() === 0);
  });
});
