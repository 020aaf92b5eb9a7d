import { X509Certificate } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testCertificates } from '../../harness/certificates.ts';
import { eventually } from '../../harness/client.ts';
import { pourKeyUpdates } from '../../harness/keyUpdates.ts';
import { monotonicClock } from '../../harness/monotonicClock.ts';
import type { Receiver } from '../../harness/receiver.ts';
import { answer } from '../../harness/receiver.ts';
import { startServiceLink } from '../../harness/serviceLink.ts';
import { listening, post, receiver, sender } from './senders.ts';

/** Only reached by what is not ended for what it sends. */
const timeoutMs = 20_000;
const tooMuch = {
  ok: false,
  reason: 'protocol_error',
  detail: 'the receiver sends too much that is no answer',
};

/** HelloRequest, which is to be skipped while TLS is being agreed on (RFC 5246 §7.4.1.1). */
const helloRequest = Buffer.from([22, 3, 3, 0, 4, 0, 0, 0, 0]);

function pourHelloRequests(socket: Socket): void {
  const more = (): void => {
    if (!socket.destroyed) socket.write(Buffer.alloc(helloRequest.length * 1_000, helloRequest), more);
  };
  socket.once('data', more);
}

/** Stands before a receiver, and can hold back what it says. */
async function startHoldingLink(target: Receiver) {
  let letThrough = Number.POSITIVE_INFINITY;
  let tell: (() => void) | null = null;
  const link = await startServiceLink(new URL(target.url()), (near, far) => {
    const held: Buffer[] = [];
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      near.write(bytes.subarray(0, letThrough));
      held.push(bytes.subarray(letThrough));
      letThrough = Math.max(0, letThrough - bytes.length);
      if (letThrough === 0) tell = () => near.write(Buffer.concat(held.splice(0)));
    });
  });
  onTestFinished(() => link.close());
  return {
    url: link.url,
    holdAfter(bytes: number) {
      letThrough = bytes;
    },
    isHolding: () => tell !== null,
    goOn() {
      letThrough = Number.POSITIVE_INFINITY;
      tell?.();
      tell = null;
    },
  };
}

describe('what a receiver sends that is no answer', () => {
  it('ends its attempts, beside which others are made', async () => {
    const flooding = await receiver((_request, socket) => pourKeyUpdates(socket, 0));
    const healthy = await receiver(answer(200));
    const one = sender({ timeoutMs });
    const floods = Array.from({ length: 8 }, () => one.send(post(flooding.url())));
    await eventually(() => flooding.requests.length > 0);
    expect(await one.send(post(healthy.url()))).toMatchObject({ ok: true });
    for (const outcome of await Promise.all(floods)) expect(outcome).toMatchObject(tooMuch);
    await eventually(() => flooding.openSockets() === 0);
    expect(one.stats().attemptsUnderWay).toBe(0);
  });

  it('ends an attempt before TLS is agreed on, too', async () => {
    const { port, openSockets } = await listening(createServer(pourHelloRequests));
    expect(await sender({ timeoutMs }).send(post(`https://localhost:${port}/`))).toMatchObject(tooMuch);
    await eventually(() => openSockets() === 0);
  });

  it('is not a chain of certificates, as long as OpenSSL takes', async () => {
    const { authority, valid } = await testCertificates();
    const bytes = 95_000;
    const others = Math.ceil(bytes / new X509Certificate(authority).raw.length);
    const certificate = { ...valid, cert: [valid.cert, ...Array(others).fill(authority)].join('\n') };
    const link = await startHoldingLink(await receiver(answer(200), { certificate }));
    const flooding = await receiver((_request, socket) => pourKeyUpdates(socket, 0));
    const one = sender({ timeoutMs });
    link.holdAfter(bytes);
    const attempt = one.send(post(link.url));
    await eventually(link.isHolding);
    // Cut by a look, which is at all connections.
    expect(await one.send(post(flooding.url()))).toMatchObject(tooMuch);
    link.goOn();
    expect(await attempt).toMatchObject({ ok: true, statusCode: 200 });
  });

  it('ends a connection that is kept', async () => {
    let socket: TLSSocket | undefined;
    const target = await receiver(answer(200), { onConnection: (opened) => (socket = opened) });
    const one = sender({ timeoutMs });
    // However long it takes, it is not idle for too long.
    monotonicClock();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect((await one.send(post(target.url()))).ok).toBe(true);
    expect(one.stats().idleConnections).toBe(1);
    pourKeyUpdates(socket!, 1);
    await eventually(() => target.openSockets() === 0);
    expect(one.stats().idleConnections).toBe(0);
    expect((await one.send(post(target.url()))).ok).toBe(true);
  });

  it('is looked for as long as there are connections, and no longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const target = await receiver(answer(200));
    const one = sender({ timeoutMs });
    expect(await one.send(post(target.url()))).toMatchObject({ ok: true });
    // Beside it, what is kept is looked at.
    expect(vi.getTimerCount()).toBe(2);
    await one.close();
    await eventually(() => vi.getTimerCount() === 0);
  });

  it('is not the record of an answer that has come in part, over a new connection or one that is kept', async () => {
    // A record of 16 KiB is longer than that, tickets before it or not.
    const target = await receiver((request, socket) => {
      link.holdAfter(16_400);
      answer(200, 'x'.repeat(20_000))(request, socket);
    });
    const link = await startHoldingLink(target);
    const flooding = await receiver((_request, socket) => pourKeyUpdates(socket, 0));
    const one = sender({ timeoutMs });
    for (let round = 0; round < 2; round += 1) {
      const attempt = one.send(post(link.url));
      await eventually(link.isHolding);
      // Cut by a look, which is at all connections.
      expect(await one.send(post(flooding.url()))).toMatchObject(tooMuch);
      link.goOn();
      expect(await attempt).toMatchObject({ ok: true, statusCode: 200 });
    }
    expect(target.connections).toBe(1);
  });

  it('is not what an answer is wrapped in that comes in a thousand pieces and more', async () => {
    let goOn: (() => void) | undefined;
    const target = await receiver((request, socket) => {
      // A record for each character: 22 bytes around it.
      const interim = [...`HTTP/1.1 100 Continue\r\nX-Filling: ${'x'.repeat(1_400)}\r\n\r\n`];
      const next = (): void => {
        const character = interim.shift();
        if (character !== undefined) socket.write(character, next);
        else goOn = () => answer(200)(request, socket);
      };
      next();
    });
    const flooding = await receiver((_request, socket) => pourKeyUpdates(socket, 0));
    const one = sender({ timeoutMs });
    const attempt = one.send(post(target.url()));
    await eventually(() => goOn !== undefined);
    // Cut by a look, which is at all connections.
    expect(await one.send(post(flooding.url()))).toMatchObject(tooMuch);
    goOn!();
    expect(await attempt).toMatchObject({ ok: true, statusCode: 200 });
  });

  it('is counted anew with each request', async () => {
    // Of all together it is more than may come before TLS is agreed on, too.
    const body = 'x'.repeat(250);
    const target = await receiver((request, socket) => {
      // A record for each character.
      const rest = [...body];
      const next = (): void => {
        if (rest.length > 0) socket.write(rest.pop()!, next);
      };
      answer(200, '', { 'Content-Length': String(body.length) })(request, socket);
      next();
    });
    const one = sender({ timeoutMs });
    for (let round = 0; round < 60; round += 1) {
      expect(await one.send(post(target.url()))).toMatchObject({ ok: true, responseExcerpt: body });
    }
    expect(target.connections).toBe(1);
  });
});
