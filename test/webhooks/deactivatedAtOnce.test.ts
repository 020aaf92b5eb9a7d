import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantOf } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import { minuteMs } from '../harness/testClock.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { waitingAlerts } from './mailServers.ts';

describeEngines('a webhook that deactivates itself, with no sweep to find it', (engine) => {
  const clock = new ManualClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    // No attempt ends but by its answer, however slow the machine is.
    const settings = { SWEEP_INTERVAL: '1h', WEBHOOK_RETRY_DELAYS: '0s,10m', WEBHOOK_TIMEOUT: '10m' };
    world = await DeliveryWorld.open(engine, { clock, settings });
  });
  afterAll(() => world?.close());

  it('has at once its team mailed and what waits for it skipped', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/deactivated');
    world.fail('/deactivated');
    for (const failed of [1, 2]) {
      await world.happens(tenant);
      const tried = await eventually(async () => {
        const deliveries = await world.deliveries(id);
        return deliveries.filter(({ reasons }) => reasons.length === 1).length === failed && deliveries;
      });
      expect(tried.map(({ status }) => status)).toEqual(Array(failed).fill('pending'));
      // The first one's last attempt falls due then, and the second one's later.
      clock.advance(5 * minuteMs);
    }
    await world.until(id, ({ status }) => status !== 'pending');
    expect((await world.deliveries(id)).map(({ status }) => status)).toEqual(['failed', 'skipped']);
    const mailed = () => world.mail.mails.filter((mail) => mail.includes(`Subject: Webhook ${id}`)).length;
    await eventually(() => mailed() === 1);
    expect(await world.webhook(key, id)).toMatchObject({ active: false, failed_deliveries: 3 });
  });

  it('of a team that has no address has that logged, and nobody is mailed later', async () => {
    const { teamId, test } = await world.server.createTeam();
    const id = await world.register(test, '/unheard');
    world.fail('/unheard');
    await world.happens(await tenantOf(world.server, teamId, 'test'));
    await world.until(id, ({ reasons }) => reasons.length === 1);
    clock.advance(10 * minuteMs);
    await eventually(() =>
      world.server.logLines.some((line) => line.includes('no alert address') && line.includes(id)),
    );
    await eventually(async () => (await waitingAlerts(world)).length === 0);
    expect(world.mail.mails.filter((mail) => mail.includes(id))).toEqual([]);
  });
});
