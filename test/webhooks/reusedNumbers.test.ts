import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { claimDeliveries } from '../../src/domain/webhooks/claim.ts';
import { loseEvents, tenantOf } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { countOf } from '../harness/metricSamples.ts';
import { answer } from '../harness/receiver.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import { describeMailServer, startSlowMailServer, waitingAlerts } from './mailServers.ts';
import { delivered, free, workerStage } from './workerStage.ts';

/**
 * What a server leaves of the latest deliveries or alerts that takes over from one that died before it heard of them: none of
 * a webhook's, whose numbers it gives to others. @returns the first of the numbers.
 */
async function lose(
  { server }: Pick<DeliveryWorld, 'server'>,
  table: 'webhook_deliveries' | 'webhook_alerts',
  webhookId: string,
): Promise<string> {
  const gone = await server.query<{ id: string }>(
    `WITH gone AS (DELETE FROM ${table} WHERE webhook_id = $1 RETURNING id)
     SELECT setval(pg_get_serial_sequence('${table}', 'id'), min(id), false) AS id FROM gone`,
    [webhookId],
  );
  return gone[0]!.id;
}

describeEngines('An attempt whose delivery is lost with the server that knew of it', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // No attempt ends by itself.
    const settings = { WEBHOOK_TIMEOUT: '10m', WEBHOOK_RETRY_DELAYS: '0s,0s,1h' };
    world = await DeliveryWorld.open(engine, { settings });
  });
  afterAll(() => world?.close());

  it.each([
    [200, 'another webhook’s', 'ok'],
    [500, 'another webhook’s', 'http_status'],
    [200, 'its own webhook’s', 'ok'],
    [500, 'its own webhook’s', 'http_status'],
  ])('and which is answered %i is none of %s next one, with its number', async (status, whose, reason) => {
    const { server, receiver } = world;
    const lost = await world.team();
    const lostId = await world.register(lost.key, '/lost');
    const isOwn = whose === 'its own webhook’s';
    const other = isOwn ? lost : await world.team();
    const otherId = isOwn ? lostId : await world.register(other.key, '/other');
    const underWay: Array<(status: number, body: string) => void> = [];
    receiver.behave((request, socket) => underWay.push((code, body) => answer(code, body)(request, socket)));
    const ended = () => countOf(server.url, `embarque_webhook_attempts_total{reason="${reason}"}`);
    const before = receiver.requests.length;
    try {
      await world.happens(lost.tenant);
      await eventually(() => underWay.length === 1);
      await loseEvents(server, lost.tenant.teamId, 'test', 1);
      const number = await lose(world, 'webhook_deliveries', lostId);
      const eventId = await world.happens(other.tenant);
      await eventually(() => underWay.length === 2);
      expect(await world.deliveries(otherId)).toMatchObject([{ id: number, event_id: eventId }]);

      // They are recorded in the order in which they end.
      const endedBefore = await ended();
      underWay[0]?.(status, 'from the lost one');
      await eventually(async () => (await ended()) > endedBefore);
      underWay[1]?.(500, 'from the other');
      await eventually(() => underWay.length === 3);
      underWay[2]?.(200, 'from the other');
      await world.until(otherId, (delivery) => delivery.status === 'delivered');
      const { body } = await server.graphql(
        'query ($id: String!) { webhookDelivery(id: $id) { attempts { statusCode responseExcerpt } } }',
        { id: `${eventId}.${otherId}` },
        other.key,
      );
      expect(body.data.webhookDelivery.attempts).toEqual([
        { statusCode: 200, responseExcerpt: 'from the other' },
        { statusCode: 500, responseExcerpt: 'from the other' },
      ]);
      // After that of the lost one.
      const told = receiver.requests.slice(before + 1);
      expect(told.map((request) => JSON.parse(request.body.toString()))).toMatchObject(
        told.map(() => ({ id: eventId, team_id: other.tenant.teamId, webhook_id: otherId })),
      );
      expect(told).toHaveLength(2);
      expect(await world.webhook(lost.key, lostId)).toMatchObject({ total_deliveries: isOwn ? 2 : 0 });
    } finally {
      world.useBehaviours();
      for (const end of underWay) end(200, '');
      await world.remove(lost.key, lostId);
      await world.remove(other.key, otherId);
    }
  });
});

describeSeveralSessions('A delivery that is lost while it is read', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    // Nobody else waits for a lock.
    world = await DeliveryWorld.open(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => world?.close());

  /** Has the only delivery of a webhook made. @returns its number. */
  const attempt = async (webhookId: string): Promise<string> => {
    const { platform } = world.server.running.gateway;
    const [delivery] = await claimDeliveries(webhookId, { webhookIds: [webhookId] }, free, platform);
    await workerStage(() => world).record(delivery, webhookId, delivered);
    return delivery!.id;
  };

  it.each([
    [
      'attempts',
      'webhook_attempts',
      'query ($id: String!) { webhookDelivery(id: $id) { attempts { number } } }',
      { webhookDelivery: { attempts: [] } },
    ],
    [
      'older attempts',
      'webhook_attempts',
      'query ($id: String!) { webhookAttempts(deliveryId: $id) { items { number } } }',
      { webhookAttempts: { items: [] } },
    ],
    [
      'body',
      'events',
      'query ($id: String!) { webhookDelivery(id: $id) { body } }',
      { webhookDelivery: { body: null } },
    ],
  ])('is shown without the %s of the one that has its number', async (_what, table, query, shown) => {
    const { server } = world;
    const [lost, other] = [await world.team(), await world.team()];
    const lostId = await world.register(lost.key, '/lost');
    const otherId = await world.register(other.key, '/other');
    const eventId = await world.happens(lost.tenant);
    await world.happens(other.tenant);
    const [number, otherNumber] = await Promise.all([lostId, otherId].map(attempt));
    const session = await server.openSession();
    await session.query('BEGIN');
    await session.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const reading = server.graphql(query, { id: `${eventId}.${lostId}` }, lost.key);
    try {
      await eventually(async () => (await lockWaits(server)) === 1);
      // As if the other one's event had happened with the server that took over.
      await session.query(`
        DELETE FROM webhook_attempts WHERE delivery_id = ${number};
        DELETE FROM webhook_deliveries WHERE id = ${number};
        UPDATE webhook_attempts SET delivery_id = ${number} WHERE delivery_id = ${otherNumber};
        WITH other AS (DELETE FROM webhook_deliveries WHERE id = ${otherNumber} RETURNING *)
        INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, due_at, created_at)
          OVERRIDING SYSTEM VALUE
          SELECT ${number}, webhook_id, event_id, event_type, status, due_at, created_at FROM other`);
    } finally {
      await session.query('COMMIT');
    }
    expect((await reading).body).toEqual({ data: shown, extensions: expect.anything() });
    await world.remove(lost.key, lostId);
    await world.remove(other.key, otherId);
  });
});

describeMailServer(
  'While an alert is mailed that is lost with the server that knew of it',
  startSlowMailServer,
  (stage) => {
    beforeEach(() => {
      stage.mail.asked.length = 0;
    });

    const deactivate = async (alertEmail: string): Promise<string> => {
      const { world } = stage;
      const { teamId, test } = await world.server.createTeam({ alertEmail });
      const id = await world.register(test, '/failing');
      world.fail('/failing');
      await world.happens(await tenantOf(world.server, teamId, 'test'));
      return id;
    };

    it('the team is mailed whose alert has its number', async () => {
      const { mail, world } = stage;
      const webhookId = await deactivate('lost@example.com');
      await eventually(() => mail.asked.length === 1);
      const number = await lose(world, 'webhook_alerts', webhookId);
      await deactivate('other@example.com');
      await eventually(async () => (await waitingAlerts(world)).length === 1);
      expect(await waitingAlerts(world)).toEqual([{ id: number }]);
      mail.take();
      await eventually(() => mail.asked.length === 2);
      mail.take();
      await eventually(async () => (await waitingAlerts(world)).length === 0);
      expect(mail.asked).toEqual(['lost@example.com', 'other@example.com']);
    });

    it('and the database does not take that it was, the team is mailed whose alert has its number', async () => {
      const { mail, world } = stage;
      const acceptAgain = () => world.server.query('DROP TRIGGER IF EXISTS refused ON webhook_alerts');
      onTestFinished(async () => void (await acceptAgain()));
      await world.server.query(
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'`,
      );
      await world.server.query(
        'CREATE TRIGGER refused BEFORE UPDATE OF sent_at ON webhook_alerts FOR EACH ROW EXECUTE FUNCTION refuse()',
      );
      const webhookId = await deactivate('lost@example.com');
      await eventually(() => mail.asked.length === 1);
      mail.take();
      await eventually(() => world.server.logLines.join('').includes('alerts not looked for or marked'));
      const number = await lose(world, 'webhook_alerts', webhookId);
      await acceptAgain();
      await deactivate('other@example.com');
      await eventually(() => mail.asked.length === 2);
      expect(await waitingAlerts(world)).toEqual([{ id: number }]);
      mail.take();
      await eventually(async () => (await waitingAlerts(world)).length === 0);
      expect(mail.asked).toEqual(['lost@example.com', 'other@example.com']);
    });
  },
);
