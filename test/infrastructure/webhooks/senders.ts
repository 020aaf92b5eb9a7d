import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  createWebhookSender,
  type WebhookSender,
  type WebhookSenderOptions,
} from '../../../src/infrastructure/webhooks/sender.ts';
import { testCertificates } from '../../harness/certificates.ts';
import { type Behaviour, type Receiver, startReceiver } from '../../harness/receiver.ts';

/** Where it has to pass. */
export const timeoutMs = 400;
/** Elsewhere what is awaited must come before it on a busy machine, too. */
export const patientMs = 60_000;
const { authority: ca } = await testCertificates();

/** One that is closed with its test. */
export function sender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const made = createWebhookSender({ timeoutMs: patientMs, allowPrivateHosts: true, ca, ...options });
  onTestFinished(() => made.close());
  return made;
}

export async function receiver(
  behaviour: Behaviour,
  options?: Parameters<typeof startReceiver>[1],
): Promise<Receiver> {
  const started = await startReceiver(behaviour, options);
  onTestFinished(() => started.close());
  return started;
}

export async function listening(
  server: Server,
  atPort = 0,
): Promise<{ port: number; openSockets(): number }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(atPort, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, openSockets: () => sockets.size };
}

export const post = (url: string, body: Buffer | string = '{}', headers: Record<string, string> = {}) => ({
  url,
  headers,
  body,
});
export const onLoopback = async () => [{ address: '127.0.0.1', family: 4 as const }];
