import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KeyPair } from '../harness/certificates.ts';
import { testCertificates } from '../harness/certificates.ts';
import { eventually } from '../harness/client.ts';
import { realEngine } from '../harness/engines.ts';
import { ownPort } from '../harness/ownPort.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';

const engine = realEngine();
const redisUrl = process.env.TEST_REDIS_URL;

/** Listens at the port until it is closed: in front of Redis with this certificate, or with a greeting and without TLS. */
async function listenAt(port: number, certificate: TlsOptions | null) {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => sockets.add(socket.on('error', () => undefined));
  const pass = (near: Socket) => {
    const { port: redisPort, hostname } = new URL(redisUrl as string);
    const far = connect(Number(redisPort || 6379), hostname);
    keep(far).add(near.on('error', () => far.destroy()));
    near.pipe(far).pipe(near);
  };
  const listener = certificate
    ? createTlsServer(certificate, pass)
    : createServer((near) => {
        keep(near);
        near.end('220 no TLS here\r\n');
      });
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');
  const close = async () => {
    if (!listener.listening) return;
    listener.close();
    for (const socket of sockets) socket.destroy();
    await once(listener, 'close');
  };
  onTestFinished(close);
  return { close };
}

const startProcess = useServerProcesses();

describe.runIf(engine && redisUrl)('A Redis that comes back', () => {
  it('with a bad certificate, or without TLS, is told as that, though it was said to be away', async () => {
    const certificates = await testCertificates();
    const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const authority = join(folder, 'authority.pem');
    await writeFile(authority, certificates.authority);
    const place = await engine!.allocate();
    onTestFinished(() => place.release());
    const port = await ownPort();
    const server = startProcess({
      ...place.settings,
      PORT: '0',
      REDIS_URL: `rediss://127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: authority,
    });
    await server.ready();
    /** How often this was said of each connection, from a level that is shown. */
    const told = (words: string) =>
      ['publisher', 'subscriber', 'rate limits'].map(
        (name) =>
          server.log().filter(({ connection, msg }) => connection === name && String(msg).startsWith(words))
            .length,
      );
    const eventuallyTold = (words: string, times: number) =>
      eventually(() => told(words).every((lines) => lines === times));
    const [refusal, acceptance] = [
      'redis has no TLS, or no certificate that is trusted, at the address of REDIS_URL: ',
      'redis has TLS and a certificate that is trusted at the address of REDIS_URL',
    ];
    await eventuallyTold('redis unavailable: ', 1);
    const bad: [KeyPair | null, string][] = [
      [certificates.expired, 'CERT_HAS_EXPIRED'],
      [certificates.wrongHost, 'ERR_TLS_CERT_ALTNAME_INVALID'],
      [null, 'ERR_SSL_'],
    ];
    for (const [index, [certificate, code]] of bad.entries()) {
      const refusing = await listenAt(port, certificate);
      await eventuallyTold(refusal, index + 1);
      const last = server.log().findLast(({ msg }) => String(msg).startsWith(refusal));
      expect(last?.err.code).toContain(code);
      await refusing.close();
      const redis = await listenAt(port, certificates.valid);
      await eventuallyTold(acceptance, index + 1);
      await redis.close();
    }

    // As Redis does unless it is told otherwise.
    const wanting = await listenAt(port, {
      ...certificates.valid,
      ca: certificates.authority,
      requestCert: true,
    });
    await eventuallyTold(
      'redis wants a certificate of ours, of which there is none, at the address of REDIS_URL: ',
      1,
    );
    await wanting.close();
    await listenAt(port, certificates.valid);
    await eventuallyTold('redis wants no certificate of ours at the address of REDIS_URL', 1);
    expect(told(refusal)).toEqual([bad.length, bad.length, bad.length]);
  });
});
