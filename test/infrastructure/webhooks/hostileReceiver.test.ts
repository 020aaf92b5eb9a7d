import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWebhookSender, type WebhookSender } from '../../../src/infrastructure/webhooks/sender.ts';
import { testCertificates } from '../../harness/certificates.ts';
import { eventually } from '../../harness/client.ts';
import {
  type Misbehaviour,
  type MisbehaviourName,
  misbehaviours,
  startHostileReceiver,
} from './hostileReceiver.ts';

/** Of those that hold: short, as it has to pass, but longer than a busy machine may stand still. */
const heldMs = 3_000;
/** Elsewhere the answer must come before it on a busy machine, too. */
const spareMs = 10_000;
/** What a busy machine may add to the timeout before we call the slot held. */
const graceMs = 4_000;

async function openSender(timeoutMs: number): Promise<WebhookSender> {
  const { authority: ca } = await testCertificates();
  return createWebhookSender({ timeoutMs, allowPrivateHosts: true, ca });
}

let patient: WebhookSender;

beforeAll(async () => {
  patient = await openSender(spareMs);
});
afterAll(() => patient.close());

async function isOneAttempt(name: MisbehaviourName, sender: WebhookSender): Promise<void> {
  const { expected, holds, silentOnTheWire }: Misbehaviour = misbehaviours[name];
  const receiver = await startHostileReceiver(name, holds ? heldMs : spareMs);
  const startedMs = performance.now();
  const outcome = await sender.send({ url: receiver.url(), headers: { 'X-Try': '1' }, body: '{"a":1}' });
  const tookMs = performance.now() - startedMs;

  expect(outcome).toMatchObject(expected);
  expect(outcome.durationMs).toBeLessThanOrEqual(tookMs + 1);
  expect(tookMs).toBeLessThan(holds ? heldMs + graceMs : spareMs);
  // Until the status line: what follows it does not count.
  if (outcome.ok) expect(outcome.durationMs).toBeLessThan(holds ? heldMs : spareMs);
  expect(Buffer.byteLength(outcome.responseExcerpt)).toBeLessThanOrEqual(4_096);
  expect(sender.stats().attemptsUnderWay).toBe(0);

  // Whatever the receiver still has to say: nothing is sent again, and no connection is left but a clean one.
  await eventually(() => receiver.openSockets() === sender.stats().idleConnections);
  expect(receiver.requests).toHaveLength(silentOnTheWire ? 0 : 1);
  expect(receiver.connections).toBe(1);
  await receiver.close();
  await eventually(() => sender.stats().idleConnections === 0);
}

const names = Object.keys(misbehaviours) as MisbehaviourName[];
const doesHold = (name: MisbehaviourName) => (misbehaviours[name] as Misbehaviour).holds === true;
const title = 'is one attempt with a clear outcome, and holds nothing';

describe.each(names.filter((name) => !doesHold(name)))('a receiver that %s', (name) => {
  it(title, () => isOneAttempt(name, patient));
});

// All of these at once: they do little but wait.
describe.concurrent.each(names.filter(doesHold))('a receiver that %s', (name) => {
  it(title, async () => {
    const hasty = await openSender(heldMs);
    try {
      await isOneAttempt(name, hasty);
    } finally {
      await hasty.close();
    }
  });
});

describe('an endless answer', () => {
  it('is read up to 64 KiB, however long the timeout', async () => {
    for (const name of [
      'sends a body without end',
      'sends chunks without end',
      'announces and sends 10 GB',
    ] as const) {
      const receiver = await startHostileReceiver(name, spareMs);
      await Promise.all(
        Array.from({ length: 20 }, () => patient.send({ url: receiver.url(), headers: {}, body: '{}' })),
      );
      await eventually(() => receiver.openSockets() === 0);
      // What the kernel's buffers hold is sent too; unbounded reading would take gigabytes in the time.
      expect(receiver.bytesSent / 20).toBeLessThan(12 * 1_024 * 1_024);
      await receiver.close();
    }
  });
});
