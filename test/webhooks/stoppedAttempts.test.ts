import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testCertificates } from '../harness/certificates.ts';
import { eventually, graphqlDoor, restRequest } from '../harness/client.ts';
import type { Place } from '../harness/engines.ts';
import { embedded } from '../harness/engines.ts';
import type { Behaviour, Receiver } from '../harness/receiver.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
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

it('SIGTERM: receivers that may take longer than a stop hold it up no longer than clients do, and what they were sent is logged and sent again by who comes next', async () => {
  const environment = {
    ...place.settings,
    PORT: '0',
    BOOTSTRAP_TEST_KEY: key,
    WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
    WEBHOOK_REACHABILITY_CHECK: 'false',
    WEBHOOK_TIMEOUT: '1h',
    NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
  };
  const server = startProcess(environment);
  const url = await server.ready();
  const ask = async (at: string, query: string) => (await graphqlDoor(at, query, null, key)).body.data;
  const body = { url: receiver.url('/slow'), events: ['wallet.debit'] };
  const { id } = (await restRequest(url, 'POST', '/api/v1/webhooks', { key, body })).body.data;
  const send = `mutation { sendTestEvent(webhookId: "${id}", type: "wallet.debit") { id } }`;
  const { id: delivery } = (await ask(url, send)).sendTestEvent;
  await eventually(() => receiver.requests.length === 1);

  const askedAt = performance.now();
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - askedAt).toBeLessThan(10_000);
  expect(server.log().at(-1)).toMatchObject({ msg: 'stopped' });
  expect(server.log().filter(({ level }) => level > 40)).toEqual([]);

  receiver.behave(answer(200));
  const next = await startProcess(environment).ready();
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
});
