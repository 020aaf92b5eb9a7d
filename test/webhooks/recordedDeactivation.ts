import { expect, it } from 'vitest';
import { AttemptRecorder } from '../../src/domain/webhooks/attemptRecording.ts';
import type { ClaimedDelivery } from '../../src/domain/webhooks/claim.ts';
import { claimDeliveries } from '../../src/domain/webhooks/claim.ts';
import { eventually } from '../harness/client.ts';
import type { WorkerStage } from './workerStage.ts';
import { delivered, failed, free } from './workerStage.ts';

/** Which attempts deactivate their webhook as they are recorded, as part of what is told of deliveries that a worker has taken. */
export function describeDeactivation(stage: WorkerStage): void {
  const { record } = stage;

  it.each([
    ['recorded in one statement deactivate a webhook that nothing got through to', [failed, failed], false],
    [
      'recorded in one statement leave a webhook active that one of them got through to',
      [failed, delivered],
      true,
    ],
    ['recorded in one statement leave it active in whatever order they ended', [delivered, failed], true],
  ] as const)('%s', async (what, outcomes, active) => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, `/${what.split(' ').join('-')}`);
    for (const _ of outcomes) await stage.world.happens(tenant);
    const claimed = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    const taken = claimed.sort((one, other) => Number(one.id) - Number(other.id));
    expect(taken).toHaveLength(outcomes.length);
    const startedAt = platform.clock.now();
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    const recorded = await Promise.all(
      outcomes.map((outcome, index) => {
        const delivery = taken[index] as ClaimedDelivery;
        return log.record({ delivery, token: 'token', outcome, startedAt, endedAt: platform.clock.now() });
      }),
    );
    expect(await stage.world.webhook(key, id)).toMatchObject({ active, total_deliveries: outcomes.length });
    expect(recorded.filter(({ deactivated }) => deactivated)).toHaveLength(active ? 0 : 1);
    expect((await stage.world.deliveries(id)).map(({ status }) => status)).toEqual(
      outcomes.map(({ ok }) => (ok ? 'delivered' : 'failed')),
    );
  });

  it('recorded in one statement deactivate a webhook that nothing got through to since the later one', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/since-the-later');
    const take = async () => {
      await stage.world.happens(tenant);
      const [taken] = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
      return taken as ClaimedDelivery;
    };
    const earlier = await take();
    await record(await take(), 'token', delivered);
    const later = await eventually(async () => {
      const { last_triggered_at: deliveredAt } = await stage.world.webhook(key, id);
      return platform.clock.now().getTime() > Date.parse(deliveredAt) && take();
    });
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    const endedAt = platform.clock.now();
    await Promise.all(
      [earlier, later].map((delivery) =>
        log.record({ delivery, token: 'token', outcome: failed, startedAt: endedAt, endedAt }),
      ),
    );
    expect(await stage.world.webhook(key, id)).toMatchObject({ active: false, failed_deliveries: 2 });
  });

  it('recorded in one statement leave a webhook active that one of them got through to, and another long before', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/long-before');
    await stage.world.happens(tenant);
    const [before] = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    await record(before, 'token', delivered, -10_000);
    for (const _ of [failed, delivered]) await stage.world.happens(tenant);
    const taken = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    const endedAt = platform.clock.now();
    await Promise.all(
      [failed, delivered].map((outcome, index) => {
        const delivery = taken[index] as ClaimedDelivery;
        return log.record({ delivery, token: 'token', outcome, startedAt: endedAt, endedAt });
      }),
    );
    expect(await stage.world.webhook(key, id)).toMatchObject({ active: true, failed_deliveries: 1 });
  });

  it('are dated by when they began, and what comes of them for their webhook by when they ended', async () => {
    const { server } = stage.world;
    const { platform } = server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/dated');
    const beganMs = platform.clock.now().getTime();
    const at = (seconds: number) => new Date(beganMs + seconds * 1_000);
    const take = async (seconds: number) => {
      await stage.world.happens(tenant);
      const later = { ...platform, clock: { ...platform.clock, now: () => at(seconds) } };
      const [taken] = await claimDeliveries(`at ${seconds}`, { webhookIds: [id] }, free, later);
      return taken as ClaimedDelivery;
    };
    const end = (delivery: ClaimedDelivery, outcome: typeof failed, [from, to]: [number, number]) =>
      new AttemptRecorder(`worker of ${id}`, platform).record({
        delivery,
        token: `at ${from}`,
        outcome,
        startedAt: at(from),
        endedAt: at(to),
      });
    const dates = async () => {
      const query = 'query ($id: String!) { webhook(id: $id) { active lastTriggeredAt updatedAt } }';
      const { active, lastTriggeredAt, updatedAt } = (await server.graphql(query, { id }, key)).body.data
        .webhook;
      return [active, lastTriggeredAt, updatedAt];
    };
    const [, , registeredAt] = await dates();
    const first = await take(10);
    const second = await take(20);
    await end(first, delivered, [10, 30]);
    expect(await dates()).toEqual([true, at(10).toISOString(), registeredAt]);
    // Something got through since it began.
    await end(second, failed, [20, 40]);
    expect(await dates()).toEqual([true, at(20).toISOString(), registeredAt]);
    await end(await take(50), failed, [50, 60]);
    expect(await dates()).toEqual([false, at(50).toISOString(), at(60).toISOString()]);
    const alerts = await server.query('SELECT created_at FROM webhook_alerts WHERE webhook_id = $1', [id]);
    expect(alerts).toEqual([{ created_at: at(60) }]);
  });

  it('alert of a webhook once, though others that it had under way fail after it was deactivated', async () => {
    const { server } = stage.world;
    const { platform } = server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/alerted-once');
    for (const _ of [failed, failed]) await stage.world.happens(tenant);
    const [first, second] = await claimDeliveries('token', { webhookIds: [id] }, free, platform);
    const updatedAt = async () => {
      const query = 'query ($id: String!) { webhook(id: $id) { updatedAt } }';
      return (await server.graphql(query, { id }, key)).body.data.webhook.updatedAt;
    };
    const log = new AttemptRecorder(`worker of ${id}`, platform);
    const fail = (delivery: ClaimedDelivery | undefined, laterMs: number) => {
      const endedAt = new Date(platform.clock.now().getTime() + laterMs);
      return log.record({
        delivery: delivery!,
        token: 'token',
        outcome: failed,
        startedAt: endedAt,
        endedAt,
      });
    };
    expect(await fail(first, 0)).toMatchObject({ deactivated: true });
    const deactivatedAt = await updatedAt();
    expect(await fail(second, 5_000)).toMatchObject({ deactivated: false });
    expect(await stage.world.webhook(key, id)).toMatchObject({ active: false, failed_deliveries: 2 });
    expect(await updatedAt()).toBe(deactivatedAt);
    const alerts = await server.query('SELECT FROM webhook_alerts WHERE webhook_id = $1', [id]);
    expect(alerts).toHaveLength(1);
  });

  it('deactivate a webhook again that a clock which is a little ahead of the worker’s activated', async () => {
    const { server } = stage.world;
    const { platform } = server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/activated-ahead');
    await stage.world.happens(tenant);
    await server.query(
      `UPDATE webhook_deliveries SET created_at = created_at - interval '1 minute' WHERE webhook_id = $1`,
      [id],
    );
    const [first] = await claimDeliveries('first', { webhookIds: [id] }, free, platform);
    await record(first, 'first', failed);
    expect(await stage.world.webhook(key, id)).toMatchObject({ active: false });
    const changed = await server.graphql(
      'query ($id: String!) { webhook(id: $id) { lastTriggeredAt updatedAt } }',
      { id },
      key,
    );
    // As it was switched off, which is when its last attempt ended.
    expect(changed.body.data.webhook.updatedAt).toBe(changed.body.data.webhook.lastTriggeredAt);
    const replayed = await server.graphql(
      `mutation ($id: String!) {
         updateWebhook(id: $id, active: true) { active }
         replayWebhookDeliveries(webhookId: $id, since: "2000-01-01T00:00:00Z") { replayed }
       }`,
      { id },
      key,
    );
    expect(replayed.body.data).toEqual({
      updateWebhook: { active: true },
      replayWebhookDeliveries: { replayed: 1 },
    });
    // Either clock may be wrong by a second.
    const aheadMs = 2_000;
    const now = () => new Date(platform.clock.now().getTime() - aheadMs);
    const behind = { ...platform, clock: { ...platform.clock, now } };
    const [second] = await claimDeliveries('second', { webhookIds: [id] }, free, behind);
    await record(second, 'second', failed, -aheadMs);
    expect(await stage.world.webhook(key, id)).toMatchObject({ active: false, failed_deliveries: 2 });
    const alerts = await server.query('SELECT FROM webhook_alerts WHERE webhook_id = $1', [id]);
    expect(alerts).toHaveLength(2);
  });

  it.each([
    ['leave a webhook active that was activated since the first of them', 2_001, true],
    ['deactivate one that was told to be active, which it was, since the first of them', 2_000, false],
  ] as const)('%s', async (_what, beforeMs, active) => {
    const { server } = stage.world;
    const { platform } = server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, `/activated-${beforeMs}`);
    const activate = async () => {
      const { body } = await stage.world.change(key, id, { active: true });
      return Date.parse(body.data.updated_at);
    };
    await stage.world.change(key, id, { active: false });
    const activatedMs = await activate();
    const now = () => new Date(activatedMs - beforeMs);
    await stage.world.happens(tenant);
    await server.query(
      `UPDATE webhook_deliveries SET due_at = due_at - interval '1 minute' WHERE webhook_id = $1`,
      [id],
    );
    const before = { ...platform, clock: { ...platform.clock, now } };
    const [taken] = await claimDeliveries('before', { webhookIds: [id] }, free, before);
    await eventually(async () => (await activate()) > activatedMs);
    await record(taken, 'before', failed);
    expect(await stage.world.webhook(key, id)).toMatchObject({ active, failed_deliveries: 1 });
  });
}
