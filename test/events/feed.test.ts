import { expect, it, onTestFinished } from 'vitest';
import { EventFeed } from '../../src/domain/events/feed.ts';
import type { Platform } from '../../src/domain/platform.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { createLog } from '../../src/infrastructure/observability/log.ts';
import { loseEvents, recordExample, storedEvents, tenantOf, writeEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeOneEngine } from '../harness/engines.ts';
import { Operator } from '../harness/operator.ts';
import { startTestServer } from '../harness/server.ts';

it('a feed that is closed leaves nobody trying to join while the table cannot be read', async () => {
  // Nothing can be asked of this database.
  const platform = { sequelize: {}, log: createLog('silent') } as unknown as Platform;
  const feed = new EventFeed(platform);
  let looks = 0;
  const tenant: Tenant = {
    teamId: 'team',
    mode: 'live',
    get walletId() {
      looks += 1;
      // Trying without a pause would never let this test end.
      if (looks > 100) throw new Error('still trying');
      return 1;
    },
  };
  const joining = feed.follow(tenant, { hear: () => undefined, rewind: () => undefined });
  await feed.close();
  await expect(joining).resolves.toBeInstanceOf(Function);
});

describeOneEngine('A feed', (engine) => {
  it('tells whoever follows a team without events of the first', async () => {
    const server = await startTestServer(engine);
    onTestFinished(() => server.close());
    const { id: teamId } = await new Operator(server).does('createTeam', { input: { name: 'Young' } });
    const tenant = await tenantOf(server, teamId, 'test');
    expect(await storedEvents(server, teamId, 'test')).toEqual([]);
    const heard: string[] = [];
    const { feed } = server.running.gateway;
    const leave = await feed.follow(tenant, {
      hear: (events) => heard.push(...events.map(({ id }) => id)),
      rewind: () => undefined,
    });
    const first = await recordExample(server, tenant, 'wallet.recharge.pending', 'rch_first');
    await eventually(() => heard.length > 0);
    expect(heard).toEqual([first]);
    leave();
  });

  it('reads for each team what it has missed itself, though others ask for as much at the same moment', async () => {
    const server = await startTestServer(engine);
    onTestFinished(() => server.close());
    const teams = await Promise.all([server.createTeam(), server.createTeam()]);
    const { past } = server.running.gateway.feed;
    const { signal } = new AbortController();
    const tenants = await Promise.all(teams.map(({ teamId }) => tenantOf(server, teamId, 'test')));
    const read = await Promise.all(
      tenants.map((tenant) => past.readAfter(tenant, 0n, { keyId: `key of ${tenant.teamId}`, signal })),
    );
    expect(read.map((events) => events.map(({ teamId }) => teamId))).toEqual(
      teams.map(({ teamId }) => [teamId]),
    );
  });
});

describeEngines('A feed of a team with many events', (engine) => {
  it('looks for what the database has kept of those it told, not through all there ever were', async () => {
    // One session: what the server has prepared there can be explained there.
    const server = await startTestServer(engine, { settings: { ROLES: 'api', DATABASE_POOL_SIZE: '1' } });
    onTestFinished(() => server.close());
    const { teamId } = await server.createTeam();
    const tenant = await tenantOf(server, teamId, 'live');
    let rewound = false;
    const leave = await server.running.gateway.feed.follow(tenant, {
      hear: () => undefined,
      rewind: () => {
        rewound = true;
      },
    });
    await loseEvents(server, teamId, 'live', 1);
    await recordExample(server, tenant, 'wallet.recharge.pending', 'rch_first');
    await eventually(() => rewound);
    leave();
    await writeEvents(server, teamId, 'live', { count: 10_000 });
    await server.query('VACUUM ANALYZE events');
    const gone = Array.from({ length: 100 }, (_, place) => `evt_gone${place}`);
    // The first executions of a statement are planned for their values, the later ones for any.
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await server.query(`SET plan_cache_mode = ${mode}`);
      const plan = await server.query(
        `EXPLAIN EXECUTE find_kept_event(${tenant.walletId}, '{${gone.join(',')}}')`,
      );
      expect(JSON.stringify(plan), mode).toContain('events_id_key');
    }
  });
});
