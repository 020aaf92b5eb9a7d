import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testCertificates } from '../harness/certificates.ts';
import { eventually, graphqlDoor, restRequest } from '../harness/client.ts';
import type { Place } from '../harness/engines.ts';
import { embedded } from '../harness/engines.ts';
import type { Behaviour, Receiver } from '../harness/receiver.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
import type { ServerProcess } from '../harness/serverProcess.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';

const startProcess = useServerProcesses();
const key = 'sk_test_0123456789abcdef';
const holds: Behaviour = () => undefined;

let place: Place;
let folder: string;
let receiver: Receiver;
beforeAll(async () => {
  place = await embedded.allocate();
  folder = await mkdtemp(join(tmpdir(), 'embarque-authority-'));
  await writeFile(join(folder, 'authority.pem'), (await testCertificates()).authority);
  receiver = await startReceiver(holds);
});
afterAll(async () => {
  await receiver?.close();
  await rm(folder, { recursive: true, force: true });
  await place.release();
});

const settings = (): Record<string, string> => ({
  ...place.settings,
  PORT: '0',
  BOOTSTRAP_TEST_KEY: key,
  WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
  NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
});

/** Asks a server to stop, which it does in time and without a fault. */
async function expectStop(server: ServerProcess): Promise<void> {
  const askedAt = performance.now();
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - askedAt).toBeLessThan(10_000);
  expect(server.log().at(-1)).toMatchObject({ msg: 'stopped' });
}

it('SIGTERM: receivers that may take longer than a stop hold it up no longer than clients do, and what they were sent is logged and sent again by who comes next', async () => {
  const environment = { ...settings(), WEBHOOK_REACHABILITY_CHECK: 'false', WEBHOOK_TIMEOUT: '1h' };
  const server = startProcess(environment);
  const url = await server.ready();
  const ask = async (at: string, query: string) => (await graphqlDoor(at, query, null, key)).body.data;
  const body = { url: receiver.url('/slow'), events: ['wallet.debit'] };
  const { id } = (await restRequest(url, 'POST', '/api/v1/webhooks', { key, body })).body.data;
  const send = `mutation { sendTestEvent(webhookId: "${id}", type: "wallet.debit") { id } }`;
  const { id: delivery } = (await ask(url, send)).sendTestEvent;
  await eventually(() => receiver.requests.length === 1);

  await expectStop(server);
  expect(server.log().filter(({ level }) => level > 40)).toEqual([]);

  receiver.behave(answer(200));
  const heir = startProcess(environment);
  const next = await heir.ready();
  const read = `{ webhookDelivery(id: "${delivery}") { status attempts { number reason detail } } }`;
  const { attempts } = await eventually(async () => {
    const { webhookDelivery } = await ask(next, read);
    return webhookDelivery.status === 'delivered' && webhookDelivery;
  });
  expect(attempts).toEqual([
    { number: 2, reason: 'ok', detail: 'answered 200' },
    { number: 1, reason: 'cancelled', detail: 'given up: the process was stopped (waiting for the answer)' },
  ]);
  expect(receiver.requests).toHaveLength(2);
  await expectStop(heir);
});

it('SIGTERM: nobody waits for the receiver of a webhook whose client was given up', async () => {
  receiver.behave(holds);
  const before = receiver.requests.length;
  const server = startProcess(settings());
  const url = await server.ready();
  const body = JSON.stringify({ url: receiver.url('/late'), events: ['wallet.debit'] });
  const client = connect(Number(new URL(url).port), '127.0.0.1');
  client.on('error', () => undefined);
  await once(client, 'connect');
  client.write(
    `POST /api/v1/webhooks HTTP/1.1\r\nHost: embarque\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  // The server has the beginning once it has answered what was sent after it.
  await restRequest(url, 'GET', '/api/v1/webhooks', { key });
  // Whatever is in flight has eight seconds, and a receiver five.
  setTimeout(() => client.write(body.slice(10)), 5_500);
  await expectStop(server);
  expect(receiver.requests).toHaveLength(before + 1);
});
