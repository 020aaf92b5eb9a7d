import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Recall } from '../../../src/infrastructure/webhooks/recall.ts';
import type { WebhookSender } from '../../../src/infrastructure/webhooks/sender.ts';
import { createWebhookSender, SendingCancelled } from '../../../src/infrastructure/webhooks/sender.ts';
import { testCertificates } from '../../harness/certificates.ts';
import { eventually } from '../../harness/client.ts';
import type { Receiver } from '../../harness/receiver.ts';
import { answer, startReceiver } from '../../harness/receiver.ts';

let sender: WebhookSender | undefined;
let receiver: Receiver | undefined;
afterEach(async () => {
  await sender?.close();
  await receiver?.close();
  receiver = undefined;
});

async function open(): Promise<WebhookSender> {
  const { authority } = await testCertificates();
  // Longer than the tests: nothing but a recall ends what waits.
  sender = createWebhookSender({ timeoutMs: 600_000, allowPrivateHosts: true, ca: authority });
  return sender;
}

const request = (url: string) => ({ url, headers: {}, body: '{}' });

it('sends nothing when it is called before the request is written', async () => {
  const sending = await open();
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const recall = new Recall();
  const connected = once(silent, 'connection');
  const { port } = silent.address() as AddressInfo;
  const attempt = sending.send(request(`https://localhost:${port}/`), recall);
  const refused = expect(attempt).rejects.toBeInstanceOf(SendingCancelled);
  const [socket] = await connected;
  recall.call('the webhook was changed or deleted');
  await refused;
  await eventually(() => socket.destroyed || socket.resume().readableEnded || undefined);
  expect(sending.stats().attemptsUnderWay).toBe(0);
  silent.close();
  await once(silent, 'close');
});

it('sends nothing when it was called before everything', async () => {
  receiver = await startReceiver(answer(200));
  const sending = await open();
  expect((await sending.send(request(receiver.url()))).ok).toBe(true);
  const recall = new Recall();
  recall.call('the webhook was changed or deleted');
  // A connection is idle and would serve it at once.
  await expect(sending.send(request(receiver.url()), recall)).rejects.toBeInstanceOf(SendingCancelled);
  // Nobody would use it again, nor close it.
  await eventually(() => receiver?.openSockets() === 0);
  await sending.send(request(receiver.url()));
  expect(receiver.requests).toHaveLength(2);
});

it('ends an attempt that waits for its answer, and its connection', async () => {
  receiver = await startReceiver(() => undefined);
  const sending = await open();
  const recall = new Recall();
  const attempt = sending.send(request(receiver.url()), recall);
  await eventually(() => receiver?.requests.length === 1);
  recall.call('the webhook was changed or deleted');
  expect(await attempt).toMatchObject({ ok: false, statusCode: null, reason: 'cancelled' });
  await eventually(() => receiver?.openSockets() === 0);
});

it('does nothing to an attempt that is over', async () => {
  receiver = await startReceiver(answer(200));
  const sending = await open();
  const recall = new Recall();
  expect((await sending.send(request(receiver.url()), recall)).ok).toBe(true);
  recall.call('the webhook was changed or deleted');
  expect((await sending.send(request(receiver.url()))).ok).toBe(true);
  expect(receiver.connections).toBe(1);
});

it('leaves no timer of an attempt that is over, whatever came of it', async () => {
  receiver = await startReceiver(answer(200));
  const sending = await open();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  for (let sent = 0; sent < 20; sent += 1) await sending.send(request(receiver.url()));
  receiver.behave((_request, socket) => socket.destroy());
  for (let sent = 0; sent < 20; sent += 1) await sending.send(request(receiver.url()));
  // Of others in this process a few may have begun meanwhile.
  expect(timers() - before).toBeLessThan(20);
});
