import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateDown, migrateUp } from '../../src/infrastructure/database/migrations.ts';
import { migrationsFolder } from '../../src/store.ts';
import { describeEngines } from '../harness/engines.ts';
import { silentLog } from '../harness/silentLog.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

const migration = '034-removed-webhooks';

describeEngines('webhooks that a build before removed', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => world?.close());

  const rows = () =>
    world.server.query(
      `SELECT id, sealed_headers IS NULL AS "noHeaders", sealed_secrets IS NULL AS "noSecrets" FROM webhooks
        ORDER BY id`,
    );

  it('keep nothing to be sent with; the others keep all', async () => {
    const { key } = await world.team();
    const [removed, kept] = [await world.register(key, '/removed'), await world.register(key, '/kept')];
    const { sequelize } = world.server.running.gateway.platform;
    const shared = engine.name !== 'embedded';
    const down = async () => {
      while (!(await migrateDown(sequelize, migrationsFolder, shared, silentLog)).includes(migration));
    };
    await down();
    await world.server.query('UPDATE webhooks SET deleted_at = now(), active = false WHERE id = $1', [
      removed,
    ]);
    await world.server.query('INSERT INTO webhook_alerts (webhook_id, created_at) VALUES ($1, now())', [
      removed,
    ]);
    await migrateUp(sequelize, migrationsFolder, shared, silentLog);
    const expected = [
      { id: removed, noHeaders: true, noSecrets: true },
      { id: kept, noHeaders: false, noSecrets: false },
    ];
    expect(await rows()).toEqual(expected.sort((one, other) => (one.id < other.id ? -1 : 1)));
    expect(await world.webhook(key, kept)).toMatchObject({ id: kept, active: true });

    for (const id of [removed, kept])
      await world.server.query(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
         VALUES ($1, 'evt_waiting', 'wallet.recharge.completed', 'pending', now(), now())`,
        [id],
      );
    await down();
    expect(await rows()).toEqual([{ id: kept, noHeaders: false, noSecrets: false }]);
    // Nothing would skip what waits for a webhook that is not there.
    expect(
      await world.server.query('SELECT webhook_id AS id, status FROM webhook_deliveries ORDER BY status'),
    ).toEqual([
      { id: kept, status: 'pending' },
      { id: removed, status: 'skipped' },
    ]);
    await migrateUp(sequelize, migrationsFolder, shared, silentLog);
    expect(await world.webhook(key, kept)).toMatchObject({ id: kept, active: true });
  });
});
