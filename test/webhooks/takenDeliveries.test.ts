import { afterAll, beforeAll, expect, it } from 'vitest';
import { measureBacklog } from '../../src/domain/backlog.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { AttemptRecorder } from '../../src/domain/webhooks/attemptRecording.ts';
import type { ClaimedDelivery } from '../../src/domain/webhooks/claim.ts';
import { claimDeliveries, nextDueAt, releaseLease, renewLeases } from '../../src/domain/webhooks/claim.ts';
import { skipInactive } from '../../src/domain/webhooks/skipping.ts';
import { describeEngines } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import { describeRecording } from './attemptRecording.ts';
import { deliveryLogOf } from './deliveryLog.ts';
import { describeSlots } from './deliverySlots.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { describeDeactivation } from './recordedDeactivation.ts';
import { delivered, failed, free, workerStage } from './workerStage.ts';

describeEngines('deliveries that a worker has taken', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Nobody sends; the first attempt of each delivery is the last.
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api', WEBHOOK_RETRY_DELAYS: '0s' } });
  });
  afterAll(() => world.close());

  const stage = workerStage(() => world);
  const { record } = stage;

  describeRecording(stage);

  describeDeactivation(stage);

  describeSlots(stage);

  it('are taken when the first delay is over, and again when the next one is', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/patient');
    await world.happens(tenant);
    const settings = { ...platform.settings, WEBHOOK_RETRY_DELAYS: [60_000, 90_000] };
    const at = (since: Date | undefined, ms: number) => {
      const now = new Date(since!.getTime() + ms);
      return { ...platform, settings, clock: { ...platform.clock, now: () => now } };
    };
    const claim = (present: Platform) => claimDeliveries('patient', { webhookIds: [id] }, free, present);
    const [recorded] = await world.deliveries(id);
    const early = at(recorded?.due_at, 59_999);
    expect(await claim(early)).toEqual([]);
    const inTime = at(recorded?.due_at, 60_000);
    const scopes = ['all', { webhookIds: [id] }, { walletIds: [tenant.walletId] }] as const;
    for (const scope of scopes)
      expect(await nextDueAt(early.clock.now(), scope, early)).toEqual(inTime.clock.now());
    expect(await nextDueAt(early.clock.now(), { webhookIds: [`${id}x`], walletIds: [-1] }, early)).toBe(null);
    const [delivery] = await claim(inTime);
    const now = inTime.clock.now();
    const attempt = { delivery: delivery!, token: 'patient', outcome: failed, startedAt: now, endedAt: now };
    await new AttemptRecorder(`worker of ${id}`, inTime).record(attempt);
    expect(await claim(at(now, 89_999))).toEqual([]);
    expect(await claim(at(now, 90_000))).toHaveLength(1);
  });

  it('are kept, and given back for later, by whoever has taken them alone', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const webhookId = await world.register(key, '/kept');
    await world.happens(tenant);
    const claim = () => claimDeliveries('mine', { webhookIds: [webhookId] }, free, platform);
    const [{ id }] = (await claim()) as [ClaimedDelivery];
    const leasedUntil = async () => {
      const [row] = await world.server.query<{ leased_until: Date | null }>(
        'SELECT leased_until FROM webhook_deliveries WHERE id = $1',
        [id],
      );
      return row?.leased_until?.getTime() ?? null;
    };
    await world.server.query(
      `UPDATE webhook_deliveries SET leased_until = leased_until - interval '1 second' WHERE id = $1`,
      [id],
    );
    const taken = (await leasedUntil()) as number;
    const [soon, later] = [0, 60_000].map((ms) => new Date(platform.clock.now().getTime() + ms)) as [
      Date,
      Date,
    ];
    await renewLeases([{ id, token: 'other' }], platform);
    await releaseLease({ id, token: 'other' }, soon, platform);
    expect(await leasedUntil()).toBe(taken);
    await renewLeases([{ id, token: 'mine' }], platform);
    expect(await leasedUntil()).toBeGreaterThan(taken);
    await releaseLease({ id, token: 'mine' }, later, platform);
    expect(await leasedUntil()).toBeNull();
    expect(await world.deliveries(webhookId)).toMatchObject([{ status: 'pending', due_at: later }]);
    expect(await claim()).toEqual([]);
    await world.remove(key, webhookId);
  });

  it('are no part of the backlog until they have been due for a minute', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/backlog');
    const backlog = async () => {
      await measureBacklog(platform);
      return sampleOf(world.server.url, 'embarque_backlog{kind="webhook_deliveries"}');
    };
    // What other tests left would be part of it as soon as a minute is over.
    await world.server.query(
      `UPDATE webhook_deliveries SET due_at = due_at + interval '1 hour' WHERE status = 'pending'`,
    );
    const before = await backlog();
    await world.happens(tenant);
    expect(await backlog()).toBe(before);
    await world.server.query(
      `UPDATE webhook_deliveries SET due_at = due_at - interval '1 minute' WHERE webhook_id = $1`,
      [id],
    );
    expect(await backlog()).toBe(before + 1);
    const [taken] = await claimDeliveries('backlog', { webhookIds: [id] }, free, platform);
    await record(taken, 'backlog', delivered);
    expect(await backlog()).toBe(before);
  });

  it.each([
    ['switched off', (key: string, id: string) => world.change(key, id, { active: false })],
    ['deleted', (key: string, id: string) => world.remove(key, id)],
  ])('and give back after their webhook was %s are taken by nobody, and skipped', async (what, end) => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, `/${what.replace(' ', '-')}`);
    const claim = (token: string) => claimDeliveries(token, { webhookIds: [id] }, free, platform);
    await world.happens(tenant);
    const [made] = await claim('made');
    await record(made, 'made', delivered);
    await world.happens(tenant);
    const [taken] = await claim('first');
    await world.happens(tenant);
    expect((await end(key, id)).status).toBe(200);
    await releaseLease({ id: taken!.id, token: 'first' }, platform.clock.now(), platform);
    const statuses = async () => (await world.deliveries(id)).map(({ status }) => status);
    expect(await statuses()).toEqual(['delivered', 'pending', 'skipped']);
    expect(await claim('second')).toEqual([]);
    await skipInactive(platform);
    expect(await statuses()).toEqual(['delivered', 'skipped', 'skipped']);
  });

  it.each([
    ['switched off', (key: string, id: string) => world.change(key, id, { active: false })],
    ['deleted', (key: string, id: string) => world.remove(key, id)],
  ])(
    'and hold when their webhook is %s are skipped once their lease lapses, whatever comes of them',
    async (what, end) => {
      const { platform } = world.server.running.gateway;
      const { key, tenant } = await world.team();
      const id = await world.register(key, `/held-${what.replace(' ', '-')}`);
      await world.happens(tenant);
      const [taken] = await claimDeliveries('holder', { webhookIds: [id] }, free, platform);
      const status = async () => (await world.deliveries(id))[0]?.status;
      expect((await end(key, id)).status).toBe(200);
      expect(await status()).toBe('pending');
      await skipInactive(platform);
      expect(await status()).toBe('pending');
      await world.server.query(
        `UPDATE webhook_deliveries SET leased_until = clock_timestamp() - interval '1 second' WHERE id = $1`,
        [taken!.id],
      );
      await skipInactive(platform);
      expect(await status()).toBe('skipped');
      await record(taken, 'holder', failed);
      expect(await status()).toBe('skipped');
      expect(await world.server.query('SELECT active FROM webhooks WHERE id = $1', [id])).toEqual([
        { active: false },
      ]);
    },
  );

  it('and no longer hold are sent again on demand, and whoever held one moves its new round on no more', async () => {
    const { platform } = world.server.running.gateway;
    const { read } = deliveryLogOf(() => world);
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/demanded');
    const deliveryId = `${await world.happens(tenant)}.${id}`;
    const [taken] = await claimDeliveries('late', { webhookIds: [id] }, free, platform);
    await world.server.query(
      `UPDATE webhook_deliveries SET leased_until = clock_timestamp() - interval '1 second' WHERE id = $1`,
      [taken!.id],
    );
    expect(await read('redeliver', key, { id: deliveryId })).toMatchObject({ status: 'pending' });
    await record(taken, 'late', failed);
    expect(await read('one', key, { id: deliveryId })).toMatchObject({ status: 'pending', attemptsMade: 1 });
    expect(await world.deliveries(id)).toMatchObject([{ status: 'pending', attempt_count: 0 }]);
    // Nobody holds it, so that it is skipped at once.
    await world.change(key, id, { active: false });
    expect(await read('one', key, { id: deliveryId })).toMatchObject({ status: 'skipped' });
  });
});
