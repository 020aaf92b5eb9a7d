import { afterAll, beforeAll, expect, it } from 'vitest';
import { AttemptRecorder } from '../../src/domain/webhooks/attemptRecording.ts';
import type { ClaimedDelivery } from '../../src/domain/webhooks/claim.ts';
import { claimDeliveries, releaseLease } from '../../src/domain/webhooks/claim.ts';
import { redeliverDelivery, sendTestEvent } from '../../src/domain/webhooks/sendingAgain.ts';
import { describeEngines } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { delivered, failed, free } from './workerStage.ts';

describeEngines('an attempt that is recorded', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Nobody sends.
    world = await DeliveryWorld.open(engine, {
      settings: { ROLES: 'api', WEBHOOK_RETRY_DELAYS: '0s,60s,1h' },
    });
  });
  afterAll(() => world?.close());

  const take = async (webhookId: string, token: string) => {
    const { platform } = world.server.running.gateway;
    const claimed = await claimDeliveries(token, { webhookIds: [webhookId] }, free, platform);
    expect(claimed).toHaveLength(1);
    return claimed[0] as ClaimedDelivery;
  };
  const record = async (delivery: ClaimedDelivery, token: string, outcome: typeof failed, ms = 0) => {
    const { platform } = world.server.running.gateway;
    const endedAt = new Date(platform.clock.now().getTime() + ms);
    const attempt = { delivery, token, outcome, startedAt: endedAt, endedAt };
    await new AttemptRecorder(`worker ${token}`, platform).record(attempt);
  };

  it('as delivered leaves a test event its bytes, which stand nowhere else, to be sent again', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/tested');
    const { event_id: eventId } = await sendTestEvent(tenant, id, 'wallet.debit', platform);
    const first = await take(id, 'first');
    expect(JSON.parse(first.body ?? '').id).toBe(eventId);
    await record(first, 'first', delivered);
    await redeliverDelivery(tenant, `${eventId}.${id}`, platform);
    expect((await take(id, 'second')).body).toBe(first.body);
  });

  it('as failed keeps the bytes for those to come, whatever would be made of its event by then', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/failed');
    const eventId = await world.happens(tenant);
    const first = await take(id, 'first');
    await record(first, 'first', failed);
    await world.server.query(
      `BEGIN; SET LOCAL session_replication_role = replica;
       UPDATE events SET created_at = created_at + interval '1 second' WHERE id = '${eventId}'; COMMIT`,
    );
    await redeliverDelivery(tenant, `${eventId}.${id}`, platform);
    expect((await take(id, 'second')).body).toBe(first.body);
  });

  it('by one that has lost its lease changes nothing of when the next one is due', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/late');
    await world.happens(tenant);
    const late = await take(id, 'late');
    await releaseLease({ id: late.id, token: 'late' }, platform.clock.now(), platform);
    await record(await take(id, 'in time'), 'in time', failed);
    const [due] = await world.deliveries(id);
    await record(late, 'late', failed, 30_000);
    expect(await world.deliveries(id)).toMatchObject([
      { status: 'pending', attempt_count: 1, due_at: due?.due_at, reasons: ['http_status', 'http_status'] },
    ]);
  });
});
