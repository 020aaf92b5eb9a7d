import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createWebhookSender,
  type WebhookSender,
  type WebhookSenderOptions,
} from '../../../src/infrastructure/webhooks/sender.ts';
import { testCertificates } from '../../harness/certificates.ts';
import { answer, type Behaviour, type Receiver, startReceiver } from '../../harness/receiver.ts';

const timeoutMs = 400;
let ca: string;
const opened: WebhookSender[] = [];

beforeAll(async () => {
  ca = (await testCertificates()).authority;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sender) => sender.close()));
});

function sender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const made = createWebhookSender({ timeoutMs, allowPrivateHosts: true, ca, ...options });
  opened.push(made);
  return made;
}

async function receiver(
  behaviour: Behaviour,
  options?: Parameters<typeof startReceiver>[1],
): Promise<Receiver> {
  const started = await startReceiver(behaviour, options);
  onTestFinished(() => started.close());
  return started;
}

async function listening(server: Server): Promise<{ port: number; openSockets(): number }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, openSockets: () => sockets.size };
}

const post = (url: string, body: Buffer | string = '{}', headers: Record<string, string> = {}) => ({
  url,
  headers,
  body,
});
const onLoopback = async () => [{ address: '127.0.0.1', family: 4 as const }];

/** A monotonic clock that stands still until it is put on; timers go by the real one. */
function monotonicClock(): { pass(ms: number): void } {
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  return {
    pass(ms) {
      nowMs += ms;
    },
  };
}

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
    const outcome = await sender({ timeoutMs: 10_000 }).send(post(target.url(), body));
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

  it('whose name server is silent: the lookup is given up at the timeout', async () => {
    let aborted = false;
    const lookup = (_hostname: string, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('cancelled'));
        });
      });
    const outcome = await sender({ lookup }).send(post('https://hooks.receiver.test/'));
    expect(outcome).toMatchObject({
      reason: 'timeout',
      detail: `no status line within ${timeoutMs} ms (resolving the host name)`,
    });
    expect(aborted).toBe(true);
  });

  it('that accepts and says nothing', async () => {
    const { port, openSockets } = await listening(createTcpServer((socket) => socket.resume()));
    const outcome = await sender().send(post(`https://localhost:${port}/`));
    expect(outcome).toMatchObject({
      reason: 'timeout',
      detail: `no status line within ${timeoutMs} ms (agreeing on TLS)`,
    });
    await vi.waitFor(() => expect(openSockets()).toBe(0));
  });

  it('whose answer comes too late, and is read before the timer goes off', async () => {
    const clock = monotonicClock();
    const target = await receiver((request, socket) => {
      clock.pass(timeoutMs + 1);
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
    const target = await receiver(answer(200));
    expect((await sender().send(post(target.url('/', '127.0.0.1')))).reason).toBe('ok');
    expect((await sender().send(post(target.url('/', '127.0.0.2')))).ok).toBe(false);
  });

  it.runIf(Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1')))(
    'are accepted for an IPv6 address',
    async () => {
      const target = await receiver(answer(200), { host: '::1' });
      expect((await sender().send(post(target.url('/', '[::1]')))).reason).toBe('ok');
    },
  );
});

describe('connections', () => {
  it('are used again for the next request', async () => {
    const target = await receiver(answer(200, 'ok'));
    const one = sender();
    for (let round = 0; round < 20; round += 1) expect((await one.send(post(target.url()))).ok).toBe(true);
    expect(target.requests).toHaveLength(20);
    expect(target.connections).toBe(1);
  });

  it('are left for new ones after a minute, for which the name is asked again', async () => {
    const target = await receiver(answer(200));
    const lookup = vi.fn(onLoopback);
    const one = sender({ lookup, timeoutMs: 600_000 });
    const clock = monotonicClock();
    // Never idle for so long that it would be closed for that.
    for (let passedMs = 0; passedMs < 60_000; passedMs += 2_000) {
      await one.send(post(target.url('/', 'a.receiver.test')));
      clock.pass(2_000);
    }
    expect(target.connections).toBe(1);
    await one.send(post(target.url('/', 'a.receiver.test')));
    expect([target.connections, lookup.mock.calls.length]).toEqual([2, 2]);
  });

  it('are not used again after four seconds, nor in the last second that the receiver grants', async () => {
    const target = await receiver(answer(200, '', { 'Keep-Alive': 'timeout=60' }));
    const one = sender({ timeoutMs: 600_000 });
    const clock = monotonicClock();
    const connectionAfter = async (ms: number) => {
      clock.pass(ms);
      await one.send(post(target.url()));
      return target.requests.at(-1)?.connection;
    };
    await one.send(post(target.url()));
    expect([await connectionAfter(3_999), await connectionAfter(4_000)]).toEqual([1, 2]);
    target.behave(answer(200, '', { 'Keep-Alive': 'timeout=3' }));
    await one.send(post(target.url()));
    expect([await connectionAfter(1_999), await connectionAfter(2_000)]).toEqual([2, 3]);
  });

  it('carry one request at a time', async () => {
    const target = await receiver(answer(200));
    const one = sender();
    await Promise.all(Array.from({ length: 8 }, () => one.send(post(target.url()))));
    expect(new Set(target.requests.map(({ connection }) => connection)).size).toBe(8);
  });

  it('are not shared between hosts, nor between ports', async () => {
    const [first, second] = [await receiver(answer(200)), await receiver(answer(200))];
    const one = sender({ lookup: onLoopback });
    await one.send(post(first.url('/', 'a.receiver.test')));
    await one.send(post(first.url('/', 'b.receiver.test')));
    await one.send(post(second.url('/', 'a.receiver.test')));
    expect([first.connections, second.connections]).toEqual([2, 1]);
  });

  it.each([
    ['says that it will close', answer(200, '', { Connection: 'close' })],
    ['waits no longer than a second', answer(200, '', { 'Keep-Alive': 'timeout=1' })],
  ])('are not kept when the receiver %s', async (_name, behaviour) => {
    const target = await receiver(behaviour);
    const one = sender();
    await one.send(post(target.url()));
    expect(one.stats().idleConnections).toBe(0);
    await vi.waitFor(() => expect(target.openSockets()).toBe(0));
  });

  it('that the receiver closed while idle are replaced', async () => {
    const target = await receiver((_request, socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    );
    const one = sender();
    for (let round = 1; round <= 3; round += 1) {
      expect((await one.send(post(target.url()))).ok).toBe(true);
      await vi.waitFor(() => expect(one.stats().idleConnections).toBe(0));
      expect(target.requests).toHaveLength(round);
    }
  });

  it('whose reset has arrived, but is not read yet, get no request', async () => {
    const sockets: TLSSocket[] = [];
    const target = await receiver(answer(200), { onConnection: (socket) => sockets.push(socket) });
    const one = sender();
    await one.send(post(target.url()));
    (sockets[0] as TLSSocket & { _parent: { resetAndDestroy(): void } })._parent.resetAndDestroy();
    expect((await one.send(post(target.url()))).ok).toBe(true);
    expect(target.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it('that break under a request lose that attempt, which is not sent again, and are not trusted after that', async () => {
    const target = await receiver(answer(200));
    const one = sender();
    expect((await one.send(post(target.url()))).ok).toBe(true);
    target.behave((_request, socket) => socket.destroy());
    expect(await one.send(post(target.url()))).toMatchObject({ ok: false, statusCode: null });
    expect(target.requests.map(({ connection }) => connection)).toEqual([1, 1]);

    target.behave(answer(200));
    for (let round = 0; round < 2; round += 1) expect((await one.send(post(target.url()))).ok).toBe(true);
    expect(target.requests.map(({ connection }) => connection)).toEqual([1, 1, 2, 3]);
    expect(target.requests.at(-1)!.headers.connection).toBe('close');
    expect(one.stats().idleConnections).toBe(0);
  });

  it('never take an answer sent ahead for the next one', async () => {
    const ahead = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    const target = await receiver((_request, socket) => {
      socket.write(ahead);
      setImmediate(() => socket.write(ahead));
    });
    const one = sender();
    await one.send(post(target.url()));
    await vi.waitFor(() => expect(one.stats().idleConnections).toBe(0));
    target.behave(answer(500));
    expect(await one.send(post(target.url()))).toMatchObject({ statusCode: 500 });
  });

  it('are bounded for each host and in all, however many hosts there are', async () => {
    const target = await receiver(answer(200));
    const one = sender({
      lookup: onLoopback,
      maxIdleConnections: 10,
      maxIdleConnectionsPerHost: 2,
      timeoutMs: 10_000,
    });
    await Promise.all(Array.from({ length: 8 }, () => one.send(post(target.url('/', 'busy.receiver.test')))));
    expect(one.stats().idleConnections).toBe(2);
    for (let host = 0; host < 60; host += 1) {
      await one.send(post(target.url('/', `host-${host}.receiver.test`)));
    }
    expect(one.stats()).toEqual({ attemptsUnderWay: 0, idleConnections: 10 });
    await vi.waitFor(() => expect(target.openSockets()).toBe(10));
  });
});

describe('reachable', () => {
  it('takes any answer to a HEAD for yes', async () => {
    const target = await receiver(answer(200));
    for (const status of [200, 302, 404, 500]) {
      target.behave(answer(status));
      expect(await sender().reachable(target.url())).toEqual({ reachable: true, reason: 'ok' });
    }
    expect(target.requests.map(({ method, body }) => `${method} ${body.length}`)).toEqual(
      Array(4).fill('HEAD 0'),
    );
    await vi.waitFor(() => expect(target.openSockets()).toBe(0));
  });

  it('says why not', async () => {
    const silent = await receiver(() => {});
    const expired = await receiver(answer(200), { certificate: (await testCertificates()).expired });
    expect(await sender().reachable(silent.url())).toEqual({ reachable: false, reason: 'timeout' });
    expect(await sender().reachable(expired.url())).toEqual({ reachable: false, reason: 'tls_certificate' });
    expect(await sender().reachable('http://example.com/')).toEqual({
      reachable: false,
      reason: 'invalid_url',
    });
  });
});

describe('close', () => {
  it('lets attempts under way finish, drops what is idle, and takes no more', async () => {
    let release = (): void => {};
    const target = await receiver(answer(200));
    const one = sender({ timeoutMs: 10_000 });
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
    await vi.waitFor(() => expect(target.openSockets()).toBe(1));
    release();
    expect((await underWay).statusCode).toBe(201);
    await closing;
    await vi.waitFor(() => expect(target.openSockets()).toBe(0));
  });
});
