import { afterAll, beforeAll, expect, it } from 'vitest';
import { AttemptRecorder } from '../../src/domain/webhooks/attemptRecording.ts';
import type { ClaimedDelivery } from '../../src/domain/webhooks/claim.ts';
import { claimDeliveries, renewLeases } from '../../src/domain/webhooks/claim.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { delivered, failed, free } from './workerStage.ts';

/** Only a server has several sessions that meet. */
describeSeveralSessions('Deliveries that several change at the same moment', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Nobody sends; the first attempt of each delivery is the last, and switches its webhook off.
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api', WEBHOOK_RETRY_DELAYS: '0s' } });
  });
  afterAll(() => world?.close());

  const waits = (count: number) => eventually(async () => (await lockWaits(world.server)) === count);

  /** Another session that holds rows until `commit`. */
  async function holding(sql: string, values: unknown[]): Promise<() => Promise<unknown>> {
    const session = await world.server.openSession();
    await session.query('BEGIN');
    await session.query(sql, values);
    return () => session.query('COMMIT');
  }

  const recorded = (recorder: AttemptRecorder, delivery: ClaimedDelivery, outcome = delivered) => {
    const now = world.server.running.gateway.platform.clock.now();
    return recorder.record({ delivery, token: 'taken', outcome, startedAt: now, endedAt: now });
  };

  it('are skipped when their webhook is switched on just as it switches itself off', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/off');
    for (let event = 0; event < 5; event += 1) await world.happens(tenant);
    const [first] = await claimDeliveries(
      'taken',
      { webhookIds: [id] },
      { ...free, ofWebhooks: new Map([[id, 1]]) },
      platform,
    );
    const commit = await holding('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [id]);
    const recording = recorded(new AttemptRecorder('off', platform), first!, failed);
    await waits(1);
    const change = world.change(key, id, { active: true });
    await waits(2);
    await commit();
    expect(await recording).toMatchObject({ deactivated: true });
    expect(await change).toMatchObject({ status: 200, body: { data: { active: true } } });
    const statuses = (await world.deliveries(id)).map(({ status }) => status).sort();
    expect(statuses).toEqual(['failed', ...Array(4).fill('skipped')]);
  });

  it('keep their leases, of which those that are being recorded need none', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/renewed');
    for (let event = 0; event < 3; event += 1) await world.happens(tenant);
    const taken = await claimDeliveries('taken', { webhookIds: [id] }, free, platform);
    const [one, two, three] = taken as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
    const leasedUntil = async () => {
      const [row] = await world.server.query<{ until: Date }>(
        'SELECT leased_until AS until FROM webhook_deliveries WHERE id = $1',
        [three.id],
      );
      return row!.until.getTime();
    };
    const before = await leasedUntil();
    const commit = await holding('SELECT FROM webhook_deliveries WHERE id = $1 FOR UPDATE', [one.id]);
    const recorder = new AttemptRecorder('renewed', platform);
    const recordings = [one, two].map((delivery) => recorded(recorder, delivery));
    await waits(1);
    // In another order than that in which they are recorded.
    await renewLeases(
      [three, two, one].map((delivery) => ({ id: delivery.id, token: 'taken' })),
      platform,
    );
    expect(await leasedUntil()).toBeGreaterThan(before);
    await commit();
    expect(await Promise.all(recordings)).toHaveLength(2);
  });

  it('are recorded by who holds nothing of theirs while it waits for a webhook, of which the first comes first', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const ids = [
      await world.register(key, '/ordered/one'),
      await world.register(key, '/ordered/other'),
    ].sort();
    // Its row comes behind the other one's by that.
    await world.change(key, ids[0]!, { active: true });
    await world.happens(tenant);
    const taken = await claimDeliveries('taken', { webhookIds: ids }, free, platform);
    const laterFirst = taken.sort((one, other) => (one.webhook_id < other.webhook_id ? 1 : -1));
    const session = await world.server.openSession();
    await session.query('BEGIN');
    await session.query('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [ids[0]]);
    const recorder = new AttemptRecorder('ordered', platform);
    const recordings = laterFirst.map((delivery) => recorded(recorder, delivery));
    try {
      await waits(1);
      // Whoever changes these webhooks and skips their deliveries waits for nobody that waits for it.
      await session.query('SELECT FROM webhooks WHERE id = $1 FOR UPDATE NOWAIT', [ids[1]]);
      await session.query('SELECT FROM webhook_deliveries WHERE webhook_id = ANY ($1) FOR UPDATE NOWAIT', [
        ids,
      ]);
    } finally {
      await session.query('ROLLBACK');
    }
    expect(await Promise.all(recordings)).toHaveLength(2);
  });
});
