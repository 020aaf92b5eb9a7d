import { expect, it, onTestFinished, vi } from 'vitest';
import { EventFeed } from '../../src/domain/events/feed.ts';
import { PastEvents } from '../../src/domain/events/pastEvents.ts';
import type { Platform } from '../../src/domain/platform.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { SharedConnections } from '../../src/infrastructure/database/sharedConnections.ts';
import { loseEvents, recordExample, storedEvents, tenantOf, writeEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import type { Engine } from '../harness/engines.ts';
import { describeEngines, describeOneEngine, embedded } from '../harness/engines.ts';
import { Operator } from '../harness/operator.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { silentLog } from '../harness/silentLog.ts';

/** What a follower of a tenant's events has heard from now on: their ids, and where it was rewound to. */
async function followed({ running }: TestServer, tenant: Tenant) {
  const heard: string[] = [];
  const rewound: bigint[] = [];
  const { leave } = await running.gateway.feed.follow(tenant, {
    hear: (events) => heard.push(...events.map(({ id }) => id)),
    rewind: (sequence) => rewound.push(sequence),
  });
  return { heard, rewound, leave };
}

it('who joins a feed while the table cannot be read pauses between tries, and stops once it is closed', async () => {
  // Nothing can be asked of this database.
  const platform = { sequelize: {}, log: silentLog } as unknown as Platform;
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
  // Who tries without a pause does so before this turn comes.
  await new Promise(setImmediate);
  feed.close();
  await expect(joining).resolves.toEqual({ position: null, leave: expect.any(Function) });
});

it('a feed tells a thousand events and more that happen at once after one signal', async () => {
  // Signals of its own: in Redis others may give theirs for wallets of the same number.
  const server = await startTestServer(embedded);
  onTestFinished(() => server.close());
  const { teamId } = await server.createTeam();
  const tenant = await tenantOf(server, teamId, 'live');
  const feed = new EventFeed(server.running.gateway.platform);
  // What it is not told by signals, it would find with its next look.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  feed.listen();
  vi.useRealTimers();
  onTestFinished(() => feed.close());
  const heard: string[] = [];
  await feed.follow(tenant, {
    hear: (events) => heard.push(...events.map(({ id }) => id)),
    rewind: () => undefined,
  });
  const record = () => recordExample(server, tenant, 'wallet.recharge.pending', 'rch_first');
  await eventually(async () => (await record()) && heard.length > 0);
  await writeEvents(server, teamId, 'live', { count: 1_200 });
  const last = await record();
  await eventually(() => heard.at(-1) === last);
  expect(heard).toEqual(
    (await storedEvents(server, teamId, 'live')).map(({ id }) => id).slice(-heard.length),
  );
});

/** A team with more events than one read brings. */
async function teamWithBacklog(engine: Engine) {
  const server = await startTestServer(engine);
  onTestFinished(() => server.close());
  const { teamId } = await server.createTeam();
  const tenant = await tenantOf(server, teamId, 'live');
  await writeEvents(server, teamId, 'live', { count: 600 });
  return { tenant, events: await storedEvents(server, teamId, 'live'), gateway: server.running.gateway };
}

describeOneEngine('A feed', (engine) => {
  it('tells whoever follows a team without events of the first', async () => {
    const server = await startTestServer(engine);
    onTestFinished(() => server.close());
    const { id: teamId } = await new Operator(server).does('createTeam', { input: { name: 'Young' } });
    const tenant = await tenantOf(server, teamId, 'test');
    expect(await storedEvents(server, teamId, 'test')).toEqual([]);
    const { heard, leave } = await followed(server, tenant);
    const first = await recordExample(server, tenant, 'wallet.recharge.pending', 'rch_first');
    await eventually(() => heard.length > 0);
    expect(heard).toEqual([first]);
    leave();
  });

  it('goes on after the database lost more than it remembers to have told', async () => {
    const server = await startTestServer(engine);
    onTestFinished(() => server.close());
    const { teamId } = await server.createTeam();
    const tenant = await tenantOf(server, teamId, 'live');
    const { heard, rewound, leave } = await followed(server, tenant);
    await writeEvents(server, teamId, 'live', { count: 1_500 });
    await eventually(() => heard.length === 1_500);
    await loseEvents(server, teamId, 'live', 1_500);
    const after = await recordExample(server, tenant, 'wallet.recharge.pending', 'rch_first');
    await eventually(() => rewound.length > 0);
    const next = await recordExample(server, tenant, 'wallet.recharge.pending', 'rch_second');
    await eventually(() => heard.at(-1) === next);
    leave();
    // Of the first, whoever reads on from there has it from the table.
    const stored = (await storedEvents(server, teamId, 'live')).map(({ id }) => id);
    expect([after, next].map((id) => stored.indexOf(id))).toEqual([stored.length - 2, stored.length - 1]);
    expect(Number(rewound[0])).toBeLessThanOrEqual(stored.length - 1);
    const told = server.logLines.map((line) => JSON.parse(line)).filter(({ lost }) => lost !== undefined);
    expect(told.map(({ lost }) => lost)).toEqual([1_000]);
  });

  it('takes nothing for lost that a server which is behind has not heard of', async () => {
    const server = await startTestServer(engine);
    onTestFinished(() => server.close());
    const { teamId } = await server.createTeam();
    const tenant = await tenantOf(server, teamId, 'live');
    const { heard, rewound, leave } = await followed(server, tenant);
    const { platform } = server.running.gateway;
    const record = () => recordExample(server, tenant, 'wallet.recharge.pending', 'rch_first');
    const first = await record();
    await eventually(() => heard.length > 0);
    const shared = SharedConnections.of(platform.sequelize);
    const query = shared.query.bind(shared);
    let asked = 0;
    const answering = vi.spyOn(shared, 'query').mockImplementation((read) => {
      if (read.name !== 'read_events_from') return query(read);
      asked += 1;
      return asked === 1 ? Promise.resolve([]) : query(read);
    });
    onTestFinished(() => answering.mockRestore());
    await eventually(() => asked > 0);
    const second = await record();
    await eventually(() => heard.at(-1) === second);
    leave();
    expect([heard, rewound]).toEqual([[first, second], []]);
    expect(server.logLines.filter((line) => line.includes('are gone from the database'))).toEqual([]);
  });

  it.each([2, 3])(
    'tells once what has taken the place of the last %i of three that it told',
    async (count) => {
      const server = await startTestServer(engine);
      onTestFinished(() => server.close());
      const { id: teamId } = await new Operator(server).does('createTeam', { input: { name: 'Young' } });
      const tenant = await tenantOf(server, teamId, 'test');
      const { heard, leave } = await followed(server, tenant);
      const told = await writeEvents(server, teamId, 'test', { count: 3 });
      await eventually(() => heard.length === told.length);
      await loseEvents(server, teamId, 'test', count);
      const instead = await writeEvents(server, teamId, 'test', { count: 4 });
      await eventually(() => heard.length > told.length);
      expect(heard).toEqual([...told, ...instead]);
      leave();
    },
  );

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

  it('lets a key rest after a whole batch of what it has missed, and others read meanwhile', async () => {
    const { tenant, events, gateway } = await teamWithBacklog(engine);
    const past = new PastEvents(gateway.platform, 3_600_000);
    const { signal } = new AbortController();
    const read = (keyId: string, after: bigint) => past.readAfter(tenant, after, { keyId, signal });
    const batch = await read('one', 0n);
    expect(batch).toHaveLength(500);
    const { sequence } = batch.at(-1)!;
    let rested = false;
    read('one', sequence).then(() => {
      rested = true;
    });
    // There is no more to come: nobody has to rest.
    for (let other = 0; other < 5; other += 1)
      expect(await read('another', sequence)).toHaveLength(events.length - 500);
    expect(rested).toBe(false);
  });

  it('goes on after the rest', async () => {
    const { tenant, events, gateway } = await teamWithBacklog(engine);
    const { past } = gateway.feed;
    const reader = { keyId: 'one', signal: new AbortController().signal };
    const batch = await past.readAfter(tenant, 0n, reader);
    const others = await past.readAfter(tenant, batch.at(-1)!.sequence, reader);
    expect([...batch, ...others].map(({ id }) => id)).toEqual(events.map(({ id }) => id));
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
    const { leave } = await server.running.gateway.feed.follow(tenant, {
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
