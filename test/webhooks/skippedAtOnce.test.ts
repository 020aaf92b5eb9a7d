import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimDeliveries, releaseLease } from '../../src/domain/webhooks/claim.ts';
import { Shares, slots } from '../../src/domain/webhooks/shares.ts';
import { skipInactive, skippedAtOnce } from '../../src/domain/webhooks/skipping.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** Which row comes first is for PostgreSQL to decide, in each session anew. */
describeSeveralSessions('deliveries of webhooks that were switched off', (engine) => {
  let world: DeliveryWorld;
  let other: pg.Client;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api' } });
    other = new pg.Client({ connectionString: world.server.environment.DATABASE_URL });
    await other.connect();
  });
  afterAll(async () => {
    await other?.end();
    await world?.close();
  });

  const somebodyWaits = async () => (await lockWaits(world.server)) > 0;

  it('are skipped as they are recorded', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/off-before');
    await world.change(key, id, { active: false });
    await world.happens(tenant);
    expect((await world.deliveries(id)).map(({ status }) => status)).toEqual(['skipped']);
  });

  it('are left, where a worker has taken or sent them in the meantime, by who switches it off', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/off-meanwhile');
    for (let event = 0; event < 3; event += 1) await world.happens(tenant);
    const [taken, sent] = (await world.deliveries(id)).map((delivery) => delivery.id);
    await other.query('BEGIN');
    await other.query(
      `UPDATE webhook_deliveries SET lease_token = 'other', leased_until = clock_timestamp() + interval '1 hour'
        WHERE id = $1`,
      [taken],
    );
    await other.query(`UPDATE webhook_deliveries SET status = 'delivered' WHERE id = $1`, [sent]);
    const changing = world.change(key, id, { active: false });
    await eventually(somebodyWaits);
    await other.query('COMMIT');
    expect((await changing).status).toBe(200);
    const statuses = (await world.deliveries(id)).map(({ status }) => status);
    expect(statuses).toEqual(['pending', 'delivered', 'skipped']);
  });

  it('are skipped without a wait or a deadlock by who meets another that goes through them', async () => {
    const { platform } = world.server.running.gateway;
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/off');
    for (let event = 0; event < 3; event += 1) await world.happens(tenant);
    const taken = await claimDeliveries(
      'worker',
      { webhookIds: [id] },
      new Shares().allowances(slots),
      platform,
    );
    await world.change(key, id, { active: false });
    for (const delivery of taken)
      await releaseLease({ id: delivery.id, token: 'worker' }, platform.clock.now(), platform);
    const statuses = async () => (await world.deliveries(id)).map(({ status }) => status);
    expect(await statuses()).toEqual(['pending', 'pending', 'pending']);

    const [first, middle, last] = (await world.deliveries(id)).map((delivery) => delivery.id);
    await other.query('BEGIN');
    const lock = (ids: unknown[]) =>
      other.query('SELECT FROM webhook_deliveries WHERE id = ANY ($1::bigint[]) FOR UPDATE', [ids]);
    await lock([middle]);
    const skipping = skipInactive(platform);
    await Promise.race([skipping, eventually(somebodyWaits)]);
    // From either end, one of the two comes before the one in the middle: who waited for that would hold it now.
    await lock([first, last]);
    await skipping;
    expect(await statuses()).toEqual(['skipped', 'pending', 'skipped']);
    await other.query('COMMIT');
    await skipInactive(platform);
    expect(await statuses()).toEqual(['skipped', 'skipped', 'skipped']);
  });
});

describeEngines('very many deliveries of a webhook', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => world?.close());

  const rest = 7;

  it('are skipped in portions when it is switched off or removed, and all of them before it is switched on again', async () => {
    const { platform } = world.server.running.gateway;
    const { key } = await world.team();
    for (const what of ['switched off', 'removed', 'switched off and on']) {
      const id = await world.register(key, `/many/${what.length}`);
      const left = what === 'switched off and on' ? skippedAtOnce + rest : rest;
      await world.server.query(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
         SELECT $1, 'evt_' || n, 'wallet.credit', 'pending', now(), now() FROM generate_series(1, $2::integer) n`,
        [id, skippedAtOnce + left],
      );
      const waiting = async () => {
        const [row] = await world.server.query<{ waiting: number }>(
          `SELECT count(*)::integer AS waiting FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`,
          [id],
        );
        return row?.waiting;
      };
      if (what === 'removed') await world.server.rest('DELETE', `/api/v1/webhooks/${id}`, { key });
      else await world.change(key, id, { active: false });
      expect(await waiting()).toBe(left);
      if (what === 'switched off and on') await world.change(key, id, { active: true });
      else await skipInactive(platform);
      expect(await waiting()).toBe(0);
    }
  });
});
