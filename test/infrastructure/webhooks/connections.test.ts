import { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../harness/client.ts';
import { restoreMachineClock, setMachineClock } from '../../harness/machineClock.ts';
import { monotonicClock } from '../../harness/monotonicClock.ts';
import { answer } from '../../harness/receiver.ts';
import { minuteMs } from '../../harness/testClock.ts';
import { reset } from './hostileReceiver.ts';
import { onLoopback, post, receiver, sender, timeoutMs } from './senders.ts';

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

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

  it('are closed once they have been idle for so long, also when another was used and closed meanwhile', async () => {
    const target = await receiver(answer(200));
    const one = sender({ timeoutMs: 600_000 });
    const clock = monotonicClock();
    await Promise.all([one.send(post(target.url())), one.send(post(target.url()))]);
    expect(one.stats().idleConnections).toBe(2);
    target.behave(answer(200, '', { Connection: 'close' }));
    await one.send(post(target.url()));
    await eventually(() => target.openSockets() === 1);
    clock.pass(4_000);
    await eventually(() => target.openSockets() === 0);
    expect(one.stats().idleConnections).toBe(0);
  });

  it('are left for new ones after the machine was suspended, while receivers hung up that it did not hear', async () => {
    const target = await receiver(answer(200));
    const one = sender({ timeoutMs: 600_000 });
    await one.send(post(target.url()));
    onTestFinished(restoreMachineClock);
    setMachineClock(minuteMs);
    await one.send(post(target.url()));
    expect(target.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it('carry one request at a time', async () => {
    const target = await receiver(answer(200));
    const one = sender({ timeoutMs: 600_000 });
    await Promise.all(Array.from({ length: 8 }, () => one.send(post(target.url()))));
    expect(new Set(target.requests.map(({ connection }) => connection)).size).toBe(8);
  });

  it('carry no request whose time was over before it could be written, in a process that stood still', async () => {
    const target = await receiver(answer(200));
    const briefMs = 2_000;
    const one = sender({ timeoutMs: briefMs });
    expect((await one.send(post(target.url()))).ok).toBe(true);
    target.behave(() => undefined);
    const attempt = one.send(post(target.url()));
    standStill(briefMs + timeoutMs);
    expect(await attempt).toMatchObject({ ok: false, statusCode: null, reason: 'timeout' });
    expect(target.requests).toHaveLength(1);
    expect(one.stats()).toEqual({ attemptsUnderWay: 0, idleConnections: 0 });
  });

  it('that are new carry none either, where reading the certificate took all the time that was left', async () => {
    const target = await receiver(answer(200));
    const one = sender({ timeoutMs });
    const read = TLSSocket.prototype.getPeerCertificate;
    const reading = vi.spyOn(TLSSocket.prototype, 'getPeerCertificate').mockImplementationOnce(function (
      this: TLSSocket,
    ) {
      standStill(timeoutMs);
      return read.call(this, true);
    });
    onTestFinished(() => reading.mockRestore());
    expect(await one.send(post(target.url()))).toMatchObject({ ok: false, reason: 'timeout' });
    await eventually(() => target.openSockets() === 0);
    expect([target.connections, target.requests]).toEqual([1, []]);
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
    await eventually(() => target.openSockets() === 0);
  });

  it('that the receiver closed while idle are replaced', async () => {
    const target = await receiver((_request, socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    );
    const one = sender();
    for (let round = 1; round <= 3; round += 1) {
      expect((await one.send(post(target.url()))).ok).toBe(true);
      await eventually(() => one.stats().idleConnections === 0);
      expect(target.requests).toHaveLength(round);
    }
  });

  it('whose reset has arrived, but is not read yet, get no request', async () => {
    const sockets: TLSSocket[] = [];
    const target = await receiver(answer(200), { onConnection: (socket) => sockets.push(socket) });
    const one = sender();
    await one.send(post(target.url()));
    reset(sockets[0]!);
    expect((await one.send(post(target.url()))).ok).toBe(true);
    expect(target.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it.each([
    ['are closed', 'connection_closed', (socket: TLSSocket) => void socket.destroy()],
    ['are reset', 'connection_reset', reset],
  ])(
    'that %s under a request lose that attempt, which is not sent again, and are not trusted after that',
    async (_, reason, cut) => {
      const target = await receiver(answer(200));
      const one = sender();
      expect((await one.send(post(target.url()))).ok).toBe(true);
      target.behave((_request, socket) => cut(socket));
      expect(await one.send(post(target.url()))).toMatchObject({ ok: false, statusCode: null, reason });
      expect(target.requests.map(({ connection }) => connection)).toEqual([1, 1]);

      target.behave(answer(200));
      for (let round = 0; round < 2; round += 1) expect((await one.send(post(target.url()))).ok).toBe(true);
      expect(target.requests.map(({ connection }) => connection)).toEqual([1, 1, 2, 3]);
      expect(target.requests.at(-1)!.headers.connection).toBe('close');
      expect(one.stats().idleConnections).toBe(0);
    },
  );

  it('that break under their first request say nothing of those that are kept', async () => {
    const target = await receiver((_request, socket) => socket.destroy());
    const one = sender();
    expect(await one.send(post(target.url()))).toMatchObject({ ok: false, statusCode: null });
    target.behave(answer(200));
    for (let round = 0; round < 2; round += 1) expect((await one.send(post(target.url()))).ok).toBe(true);
    expect(target.requests.map(({ connection }) => connection)).toEqual([1, 2, 2]);
  });

  it('get no request while the one before it has not left, and are closed', async () => {
    const sockets: TLSSocket[] = [];
    const target = await receiver(answer(200), {
      onConnection(socket) {
        sockets.push(socket);
        if (sockets.length > 1) return;
        // Answers early, and reads no more.
        socket.once('data', () => {
          socket.pause();
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        });
      },
    });
    const one = sender();
    expect((await one.send(post(target.url(), Buffer.alloc(32 * 1_024 * 1_024)))).ok).toBe(true);
    expect((await one.send(post(target.url()))).ok).toBe(true);
    sockets[0]!.resume();
    await eventually(() => sockets[0]!.destroyed);
    expect(target.requests.map(({ connection }) => connection)).toEqual([2]);
  });

  it('on which an answer came ahead of its request get none', async () => {
    const ahead = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    const target = await receiver((_request, socket) => {
      socket.write(ahead);
      setImmediate(() => socket.write(ahead));
    });
    const one = sender();
    await one.send(post(target.url()));
    await eventually(() => one.stats().idleConnections === 0);
    target.behave(answer(500));
    expect(await one.send(post(target.url()))).toMatchObject({ statusCode: 500 });
  });

  it('are bounded for each host and in all, however many hosts there are', async () => {
    const target = await receiver(answer(200));
    const one = sender({
      lookup: onLoopback,
      maxIdleConnections: 10,
      maxIdleConnectionsPerHost: 2,
    });
    await Promise.all(Array.from({ length: 8 }, () => one.send(post(target.url('/', 'busy.receiver.test')))));
    expect(one.stats().idleConnections).toBe(2);
    for (let host = 0; host < 60; host += 1) {
      await one.send(post(target.url('/', `host-${host}.receiver.test`)));
    }
    expect(one.stats()).toEqual({ attemptsUnderWay: 0, idleConnections: 10 });
    await eventually(() => target.openSockets() === 10);
  });

  it('are all closed once the last attempt is over, which their sender waits for', async () => {
    const answers: (() => void)[] = [];
    const target = await receiver((request, socket) => answers.push(() => answer(200)(request, socket)));
    const one = sender();
    const attempts = Array.from({ length: 2 }, () => one.send(post(target.url())));
    await eventually(() => answers.length === 2);
    let isClosed = false;
    const closing = one.close().then(() => {
      isClosed = true;
    });
    answers[0]!();
    expect(await Promise.race(attempts)).toMatchObject({ ok: true });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    answers[1]!();
    await closing;
    expect(one.stats()).toEqual({ attemptsUnderWay: 0, idleConnections: 0 });
    await eventually(() => target.openSockets() === 0);
  });
});
