import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { TestClock } from '../harness/testClock.ts';
import { refusals } from './deliveryLog.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { describeRedelivery } from './redelivery.ts';
import { describeReplay } from './replay.ts';
import { sendingStage } from './sendingStage.ts';
import { describeTestEvents } from './testEvents.ts';

const unknownWebhook = 'wh_01jd4yhz1je5j8v2r0h3m6x9qj';

describeEngines('what is sent on purpose', (engine) => {
  const clock = new TestClock();
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { clock });
  });
  afterAll(() => world?.close());
  beforeEach(() => clock.reset());
  const stage = sendingStage(engine, () => world, clock);
  const { refusal } = stage;

  describeTestEvents(stage);

  describeRedelivery(stage);

  describeReplay(stage);

  it('is each team’s and mode’s own affair', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/mine');
    const deliveryId = `${await world.happens(tenant)}.${id}`;
    await world.until(id, ({ status }) => status === 'delivered');
    const since = clock.now().toISOString();
    const { secret: live } = await world.server.createKey({ kind: 'live', teamId: tenant.teamId });
    const { key: other } = await world.team();
    for (const stranger of [live, other]) {
      expect(await refusal('sendTest', stranger, { webhookId: id, type: 'wallet.debit' })).toEqual(
        refusals.webhook,
      );
      expect(await refusal('redeliver', stranger, { id: deliveryId })).toEqual(refusals.delivery);
      expect(await refusal('replay', stranger, { webhookId: id, since })).toEqual(refusals.webhook);
    }
    for (const webhookId of [unknownWebhook, 'nonsense', '\u0000']) {
      expect(await refusal('sendTest', key, { webhookId, type: 'wallet.debit' })).toEqual(refusals.webhook);
      expect(await refusal('replay', key, { webhookId, since })).toEqual(refusals.webhook);
    }
    await world.change(key, id, { active: false });
    expect(await refusal('sendTest', key, { webhookId: id, type: 'wallet.debit' })).toEqual(
      refusals.inactive,
    );
    await world.remove(key, id);
    expect(await refusal('redeliver', key, { id: deliveryId })).toEqual(refusals.delivery);
    expect(await refusal('sendTest', key, { webhookId: id, type: 'wallet.debit' })).toEqual(refusals.webhook);
    await world.swept();
    expect(world.received('/mine')).toHaveLength(1);
  });

  /** Of all webhooks, those of other tests among them. @returns how many there are. */
  async function expectSums(): Promise<number> {
    const sums = await world.server.query<{ id: string; total: string; failed: string; sums: Json }>(
      `SELECT w.id, w.total_deliveries AS total, w.failed_deliveries AS failed,
              json_build_array(count(a.*)::text, (count(a.*) FILTER (WHERE a.reason <> 'ok'))::text) AS sums
         FROM webhooks w LEFT JOIN webhook_deliveries d ON d.webhook_id = w.id
              LEFT JOIN webhook_attempts a ON a.delivery_id = d.id
        GROUP BY w.id`,
    );
    for (const { id, total, failed, sums: counted } of sums) expect([total, failed], id).toEqual(counted);
    return sums.length;
  }
  // Once more when every test has been run, whichever of them was the last.
  afterAll(async () => void (await expectSums()));

  it('adds up: the statistics are the sums of the log', async () => {
    const { key, tenant } = await world.team();
    const [ok, failing, again, tested, replayed, removed] = (await Promise.all(
      ['ok', 'failing', 'again', 'tested', 'replayed', 'removed'].map((name) =>
        world.register(key, `/sums/${name}`),
      ),
    )) as [string, string, string, string, string, string];
    for (const name of ['failing', 'again']) world.fail(`/sums/${name}`);
    world.hold('/sums/removed');
    onTestFinished(() => {
      for (const name of ['failing', 'again', 'removed']) world.mend(`/sums/${name}`);
    });
    await world.change(key, replayed, { active: false });
    const since = clock.now().toISOString();
    const eventId = await world.happens(tenant);
    await eventually(() => world.received('/sums/removed').length === 1);
    await world.remove(key, removed);
    for (const id of [failing, again]) await world.until(id, ({ reasons }) => reasons.length === 1);
    world.mend('/sums/again');
    await stage.read('redeliver', key, { id: `${eventId}.${again}` });
    await world.change(key, replayed, { active: true });
    await stage.read('replay', key, { webhookId: replayed, since });
    await stage.read('sendTest', key, { webhookId: tested, type: 'wallet.debit' });
    for (const id of [ok, again, tested, replayed])
      await world.until(id, ({ status }) => status === 'delivered');
    await world.until(removed, ({ reasons }) => reasons.length === 1);
    expect(await expectSums()).toBeGreaterThan(5);
    const shown = await Promise.all(
      [ok, failing, again, tested, replayed].map((id) => stage.statistics(key, id)),
    );
    expect(shown.map(({ total, failed }) => [total, failed])).toEqual([
      [1, 0],
      [1, 1],
      [2, 1],
      [2, 0],
      [1, 0],
    ]);
  });
});
