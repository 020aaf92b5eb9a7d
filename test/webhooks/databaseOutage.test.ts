import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BreakingLink, startBreakingLink } from '../harness/breakingLink.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { answer } from '../harness/receiver.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

describeSeveralSessions('a database that is away for longer than a lease', (engine) => {
  let world: DeliveryWorld;
  let link: BreakingLink;
  let session: pg.Client;
  beforeAll(async () => {
    const place = await engine.allocate();
    const { DATABASE_URL = '' } = place.settings;
    link = await startBreakingLink(new URL(DATABASE_URL));
    session = new pg.Client({ connectionString: DATABASE_URL });
    await session.connect();
    world = await DeliveryWorld.open(
      {
        ...engine,
        allocate: async () => ({ ...place, settings: { ...place.settings, DATABASE_URL: link.url } }),
      },
      {
        settings: {
          // A lease is three times as long.
          WEBHOOK_TIMEOUT: '3s',
          WEBHOOK_RETRY_DELAYS: '0s,1h',
          // A loaded machine may take longer to make a first connection.
          WEBHOOK_REACHABILITY_CHECK: 'false',
        },
      },
    );
  });
  afterAll(async () => {
    await session?.end();
    await world?.close();
    link?.close();
  });

  it('has its worker send nothing again, log what was sent, and come back at the time of the next attempt', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/outage');
    world.receiver.behave((request, socket) => {
      if (world.received('/outage').length === 1) link.break();
      answer(500)(request, socket);
    });
    const happened = world.happens(tenant);
    await eventually(() => world.received('/outage').length === 1);
    await happened;
    const hasLapsed = async () => {
      const { rows } = await session.query(
        `SELECT leased_until < clock_timestamp() - interval '2 seconds' AS lapsed FROM webhook_deliveries
          WHERE webhook_id = $1`,
        [id],
      );
      return rows[0].lapsed;
    };
    // The kept attempt pauses for more than a second by then, and sweeps come more often.
    await eventually(hasLapsed);
    link.mend();
    await eventually(async () => (await world.server.rest('GET', '/health/ready')).status === 200);
    const [delivery] = await world.until(id, ({ reasons }) => reasons.length > 0);
    await world.swept();
    expect(delivery).toMatchObject({ status: 'pending', reasons: ['http_status'], attempt_count: 1 });
    expect(delivery?.due_at.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    expect(await world.webhook(key, id)).toMatchObject({ total_deliveries: 1, failed_deliveries: 1 });
    expect(world.received('/outage')).toHaveLength(1);
  });
});
