import { afterAll, beforeAll, expect, it } from 'vitest';
import { advisoryLocks } from '../../src/infrastructure/database/advisoryLocks.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

describeSeveralSessions('A registration that waits for others of its wallet', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => world?.close());

  it('gives up its connection before a change does that waits for the longest that one may, and can be sent again', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/changed');
    const other = await world.server.openSession();
    await other.query('BEGIN');
    await other.query('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [id]);
    await other.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      advisoryLocks.registration,
      tenant.walletId,
    ]);
    const ended: string[] = [];
    const changing = world.change(key, id, { active: true }).finally(() => ended.push('change'));
    await eventually(async () => (await lockWaits(world.server)) === 1);
    const body = { url: world.receiver.url('/registered'), events: ['wallet.debit'] };
    const register = () => world.server.rest('POST', '/api/v1/webhooks', { key, body });
    const refused = await register();
    expect(ended).toEqual([]);
    expect([refused.status, refused.body.error.details]).toEqual([409, { type: 'in_progress' }]);
    await other.query('ROLLBACK');
    await changing;
    expect((await register()).status).toBe(201);
  });

  it('is refused when another webhook is given its URL by a change that commits only then', async () => {
    const { key } = await world.team();
    const id = await world.register(key, '/from');
    const url = world.receiver.url('/to');
    const other = await world.server.openSession();
    await other.query('BEGIN');
    await other.query('UPDATE webhooks SET url = $2, normalized_url = $2 WHERE id = $1', [id, url]);
    const registering = world.server.rest('POST', '/api/v1/webhooks', {
      key,
      body: { url, events: ['wallet.debit'] },
    });
    await eventually(async () => (await lockWaits(world.server)) === 1);
    await other.query('COMMIT');
    const { status, body } = await registering;
    expect([status, body.error.message, body.error.details]).toEqual([
      409,
      'URL already registered',
      { field: 'url', type: 'repeated' },
    ]);
  });
});
