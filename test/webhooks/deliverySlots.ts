import { expect, it } from 'vitest';
import { claimDeliveries } from '../../src/domain/webhooks/claim.ts';
import type { WorkerStage } from './workerStage.ts';
import { delivered, failed, free } from './workerStage.ts';

/** How many are taken and whose, as part of what is told of deliveries that a worker has taken. */
export function describeSlots(stage: WorkerStage): void {
  const { record } = stage;

  it('go by turns of wallets, counted on from what each has under way', async () => {
    const { platform } = stage.world.server.running.gateway;
    const [busy, calm] = [await stage.world.team(), await stage.world.team()];
    const webhookIds = await Promise.all(
      ['/one', '/two'].map((path) => stage.world.register(busy.key, path)),
    );
    for (let event = 0; event < 5; event += 1) await stage.world.happens(busy.tenant);
    webhookIds.push(await stage.world.register(calm.key, '/calm'));
    for (let event = 0; event < 3; event += 1) await stage.world.happens(calm.tenant);
    const claim = async (token: string, limit: number, busyUnderWay: number) => {
      const underWay = new Map([[busy.tenant.walletId, { trusted: 0, untrusted: busyUnderWay }]]);
      const taken = await claimDeliveries(token, { webhookIds }, { ...free, underWay, limit }, platform);
      return taken.map((one) => (one.wallet_id === busy.tenant.walletId ? 'busy' : 'calm')).sort();
    };
    expect(await claim('first', 2, 0)).toEqual(['busy', 'calm']);
    expect(await claim('second', 1, 1)).toEqual(['calm']);
    expect(await claim('third', 10, 2)).toEqual([...Array(9).fill('busy'), 'calm']);
  });

  it.each([
    ['one wallet alone leaves a third of the slots', 9, 0, 6],
    ['what it has under way is counted', 5, 4, 2],
    ['nothing is taken beyond it', 3, 6, 0],
  ])('are as many as keep slots for other wallets: %s', async (_, untrusted, untrustedUnderWay, expected) => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/alone');
    for (let event = 0; event < 9; event += 1) await stage.world.happens(tenant);
    const underWay = new Map([[tenant.walletId, { trusted: 0, untrusted: untrustedUnderWay }]]);
    const allowances = { ...free, freeSlots: { ...free.freeSlots, untrusted }, underWay };
    // What is due for longest goes first.
    const [longest] = await stage.world.server.query<{ id: string }>(
      `UPDATE webhook_deliveries SET due_at = due_at - interval '1 hour'
        WHERE id = (SELECT max(id) FROM webhook_deliveries WHERE webhook_id = $1) RETURNING id`,
      [id],
    );
    const taken = await claimDeliveries('alone', { webhookIds: [id] }, allowances, platform);
    expect(taken).toHaveLength(expected);
    if (expected > 0) expect(taken.map((one) => one.id)).toContain(longest?.id);
  });

  it('go by turns where few slots are free, and within a turn by when they fell due', async () => {
    const { platform } = stage.world.server.running.gateway;
    const webhookIds: string[] = [];
    for (const [path, events] of [
      ['/busy', 4],
      ['/calm', 1],
      ['/last', 1],
    ] as const) {
      const { key, tenant } = await stage.world.team();
      webhookIds.push(await stage.world.register(key, path));
      for (let event = 0; event < events; event += 1) await stage.world.happens(tenant);
    }
    const [busy, calm, last] = webhookIds;
    const duePast = (id: string | undefined, hours: number) =>
      stage.world.server.query(
        `UPDATE webhook_deliveries SET due_at = due_at - $2 * interval '1 hour' WHERE webhook_id = $1`,
        [id, hours],
      );
    await duePast(busy, 2);
    await duePast(last, 1);
    const take = async (untrusted: number) => {
      const allowances = { ...free, freeSlots: { ...free.freeSlots, untrusted } };
      const taken = await claimDeliveries('few', { webhookIds }, allowances, platform);
      return taken.map(({ webhook_id }) => webhook_id);
    };
    expect(new Set(await take(3))).toEqual(new Set([busy, last]));
    await duePast(calm, 3);
    expect(await take(2)).toEqual([calm]);
  });

  it('go by when they fell due, those of webhooks that answer well and the others, where not all may be taken', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const well = await stage.world.register(key, '/well');
    await stage.world.happens(tenant);
    const take = (limit: number) => claimDeliveries('one', { webhookIds }, { ...free, limit }, platform);
    const webhookIds = [well];
    await record((await take(1))[0], 'one', delivered);
    await stage.world.happens(tenant);
    webhookIds.push(await stage.world.register(key, '/unknown'));
    await stage.world.happens(tenant);
    await stage.world.server.query(
      `UPDATE webhook_deliveries SET due_at = due_at - interval '1 hour' WHERE webhook_id = $1 AND status = 'pending'
          AND id = (SELECT min(id) FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending')`,
      [well],
    );
    expect(await take(1)).toMatchObject([{ webhook_id: well, trusted: true }]);
  });

  it('are those of a webhook that answers well when its latest attempt succeeded', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const id = await stage.world.register(key, '/trusted');
    const trusted: boolean[] = [];
    // Two are recorded after an attempt that was later.
    for (const [outcome, seconds] of [
      [delivered, 0],
      [failed, 1],
      [delivered, 2],
      [delivered, 4],
      [delivered, 3],
      [failed, 6],
      [delivered, 5],
      [delivered, 7],
    ] as const) {
      await stage.world.change(key, id, { active: true });
      await stage.world.happens(tenant);
      const [delivery] = await claimDeliveries('trusting', { webhookIds: [id] }, free, platform);
      trusted.push(delivery!.trusted);
      await record(delivery, 'trusting', outcome, seconds * 1_000);
    }
    expect(trusted).toEqual([false, true, false, true, true, true, false, false]);
  });

  it('take slots of their own kind, of those that answer well and of the others', async () => {
    const { platform } = stage.world.server.running.gateway;
    const { key, tenant } = await stage.world.team();
    const well = await stage.world.register(key, '/well');
    await stage.world.happens(tenant);
    const [first] = await claimDeliveries('first', { webhookIds: [well] }, free, platform);
    await record(first, 'first', delivered);
    const webhookIds = [well, await stage.world.register(key, '/unknown')];
    for (let event = 0; event < 9; event += 1) await stage.world.happens(tenant);
    const allowances = { ...free, freeSlots: { trusted: 9, untrusted: 3 } };
    const taken = await claimDeliveries('both', { webhookIds }, allowances, platform);
    const numberOf = (id: string) => taken.filter(({ webhook_id }) => webhook_id === id).length;
    // Of each kind, one wallet alone leaves a third.
    expect(webhookIds.map(numberOf)).toEqual([6, 2]);
  });
}
