import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WebhookDispatcher } from '../../src/domain/webhooks/dispatcher.ts';
import { createWebhookSender } from '../../src/infrastructure/webhooks/sender.ts';
import { serviceSignature } from '../../src/infrastructure/webhooks/signature.ts';
import { deferred } from '../bookings/airline.ts';
import { testCertificates } from '../harness/certificates.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { restoreMachineClock, suspendMachine } from '../harness/machineClock.ts';
import { minuteMs, secondMs, TestClock } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

describeEngines('an attempt whose process stood still before its request was written', (engine) => {
  const clock = new TestClock();
  const timeoutMs = 10 * minuteMs;
  let world: DeliveryWorld;
  beforeAll(async () => {
    // No worker but those of the tests, and leases that outlast what they stand still for.
    const settings = { ROLES: 'api', WEBHOOK_TIMEOUT: `${timeoutMs}ms`, WEBHOOK_REACHABILITY_CHECK: 'false' };
    world = await DeliveryWorld.open(engine, { clock, settings });
  });
  afterAll(() => world?.close());

  /** A worker that waits for the addresses of receivers until it is let go on. */
  async function heldWorker() {
    const resolved = deferred<{ address: string; family: 4 }[]>();
    let asked = 0;
    const webhookSender = createWebhookSender({
      timeoutMs,
      allowPrivateHosts: true,
      ca: (await testCertificates()).authority,
      lookup: () => {
        asked += 1;
        return resolved.promise;
      },
    });
    const worker = new WebhookDispatcher({ ...world.server.running.gateway.platform, webhookSender });
    const goOn = () => resolved.resolve([{ address: '127.0.0.1', family: 4 }]);
    onTestFinished(async () => {
      goOn();
      await worker.stop();
      await webhookSender.close();
    });
    return { worker, goOn, untilHeld: () => eventually(() => asked > 0) };
  }

  it.each([
    ['for six minutes is signed anew: receivers refuse what is older than five', 6 * minuteMs, true],
    ['for a second is left as it was signed', secondMs, false],
  ])('%s', async (_case, stoodStillMs, isSignedAnew) => {
    const path = `/still-${stoodStillMs}`;
    const { key, tenant } = await world.team();
    const input = { url: world.receiver.url(path), events: ['wallet.debit'] };
    const { body: created } = await world.server.rest('POST', '/api/v1/webhooks', { key, body: input });
    const { id, secret } = created.data;
    const eventId = await world.happens(tenant);
    const { worker, goOn, untilHeld } = await heldWorker();
    const begunSeconds = clock.now().getTime() / secondMs;
    await worker.sweep();
    await untilHeld();
    onTestFinished(restoreMachineClock);
    suspendMachine(stoodStillMs);
    clock.advance(stoodStillMs);
    goOn();
    const [delivery] = await world.until(id, ({ reasons }) => reasons.length > 0);
    expect(delivery?.reasons).toEqual(['ok']);
    const [request, ...others] = world.received(path);
    expect(others).toEqual([]);
    const { headers, body } = request!;
    const seconds = Number(headers['x-service-timestamp']);
    expect(seconds).toBe(begunSeconds + (isSignedAnew ? stoodStillMs / secondMs : 0));
    expect(headers['webhook-timestamp']).toBe(String(seconds));
    expect(headers['x-service-event-id']).toBe(eventId);
    expect(headers['x-service-signature']).toBe(serviceSignature(secret, seconds, body));
  });
});
