import { createClient } from 'graphql-ws';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { SharedConnections } from '../../src/infrastructure/database/sharedConnections.ts';
import { loseEvents, recordExample, requestRecharge, storedEvents, tenantOf } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { tableWaits } from '../harness/lockWaits.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { allEvents, transports } from '../harness/subscribers.ts';

describeSeveralSessions('Where event streams begin', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  const open = (key: string, signal: AbortSignal, after: string | null = null) =>
    fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: allEvents, variables: { after } }),
      signal,
    });

  const metrics = async () => (await fetch(`${server.url}/metrics`)).text();

  it('is known when they open, and count as open, however long the database takes: what happens then is told', async () => {
    const { test: key } = await server.createTeam();
    const other = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await other.connect();
    onTestFinished(() => other.end());
    /** What the request waits for: on a slow machine its key is not in memory any more, and is read with the wallet. */
    const awaited = () =>
      eventually(async () => {
        // Within a transaction the statements of other sessions stay those of the first look.
        await other.query('SELECT pg_stat_clear_snapshot()');
        const [pid] = await tableWaits(other, 'wallets');
        const { rows } = await other.query('SELECT query FROM pg_stat_activity WHERE pid = $1', [pid]);
        return rows[0]?.query as string;
      });
    for (;;) {
      await requestRecharge(server, key);
      await other.query('BEGIN');
      await other.query('LOCK TABLE wallets IN ACCESS EXCLUSIVE MODE');
      const leaving = new AbortController();
      let isOpen = false;
      const opening = open(key, leaving.signal).then((response) => {
        isOpen = true;
        return response;
      });
      const isBeginning = (await awaited()).includes('event_count AS sequence');
      if (isBeginning) {
        await server.rest('GET', '/health/live');
        expect(isOpen).toBe(false);
        await eventually(async () => (await metrics()).includes('\nembarque_subscribers 0\n'));
      }
      await other.query('ROLLBACK');
      const { body } = await opening;
      const id = await requestRecharge(server, key);
      let text = '';
      for await (const part of body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text.includes('"wallet.recharge.pending"')) break;
      }
      expect(text).toContain(id);
      leaving.abort();
      if (isBeginning) return;
    }
  });

  it('is where the events end of a server that takes over meanwhile, and had not heard of the last', async () => {
    const { teamId, test: key } = await server.createTeam();
    for (let lost = 0; lost < 3; lost += 1) await requestRecharge(server, key);
    const other = new pg.Client({ connectionString: server.environment.DATABASE_URL });
    await other.connect();
    const leaving = new AbortController();
    onTestFinished(async () => {
      leaving.abort();
      await other.end();
    });
    await other.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const { body } = await open(key, leaving.signal);
    await eventually(async () => (await tableWaits(other, 'events')).length > 0);
    await other.query(`SET LOCAL session_replication_role = replica;
      DELETE FROM events e USING wallets w WHERE w.team_id = '${teamId}' AND w.mode = 'test'
         AND e.wallet_id = w.id AND e.sequence > w.event_count - 3;
      UPDATE wallets SET event_count = event_count - 3 WHERE team_id = '${teamId}' AND mode = 'test'; COMMIT`);
    const ids = [];
    for (let told = 0; told < 5; told += 1) ids.push(await requestRecharge(server, key));
    let text = '';
    for await (const part of body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.includes(ids.at(-1)!)) break;
    }
    for (const id of ids) expect(text).toContain(id);
  });

  it('is nowhere behind an event that is gone with the server that had it, when the next one has as many others by then', async () => {
    const { teamId, test: key } = await server.createTeam();
    for (let lost = 0; lost < 3; lost += 1) await requestRecharge(server, key);
    const after = (await storedEvents(server, teamId, 'test')).at(-1)!.id;
    const shared = SharedConnections.of(server.running.gateway.platform.sequelize);
    const query = shared.query.bind(shared);
    let takeOver = (): void => undefined;
    const takenOver = new Promise<void>((resolve) => {
      takeOver = resolve;
    });
    let isBeginning = false;
    const answering = vi.spyOn(shared, 'query').mockImplementation(async (asked) => {
      if (asked.name === 'read_latest_events') {
        isBeginning = true;
        await takenOver;
      }
      return query(asked);
    });
    const leaving = new AbortController();
    onTestFinished(() => {
      answering.mockRestore();
      leaving.abort();
    });
    const { body } = await open(key, leaving.signal, after);
    await eventually(() => isBeginning);
    await loseEvents(server, teamId, 'test', 3);
    for (let others = 0; others < 5; others += 1) await requestRecharge(server, key);
    takeOver();
    let text = '';
    for await (const part of body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.includes('event: ')) break;
    }
    expect(text).toContain('"field":"after","type":"unknown"');
  });
});

describeEngines('Where subscriptions begin', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it('is found by clients of WebSockets that come back, once it can be looked up again who they are', async () => {
    const { teamId, test } = await server.createTeam();
    await requestRecharge(server, test);
    const [start] = await storedEvents(server, teamId, 'test');
    const { secret: key } = await server.createKey({ kind: 'test', teamId });
    await server.query('ALTER TABLE api_keys RENAME TO api_keys_away');
    let isAway = true;
    const bringBack = async () => {
      if (isAway) await server.query('ALTER TABLE api_keys_away RENAME TO api_keys');
      isAway = false;
    };
    const told: Json[] = [];
    const failures: unknown[] = [];
    const client = createClient({
      url: `${server.url.replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${key}` },
      retryWait: bringBack,
    });
    const sink = {
      next: (result: Json) => void told.push(result),
      error: (error: unknown) => void failures.push((error as { code?: number }).code ?? error),
      complete: () => undefined,
    };
    client.subscribe({ query: allEvents, variables: { after: start!.id } }, sink);
    await eventually(() => told.length > 0 || failures.length > 0);
    await bringBack();
    expect(failures).toEqual([]);
    expect(told[0]?.data.events.type).toBe('wallet.recharge.pending');
    await client.dispose();
  });

  it('is found at once of a team to which something happens without end', async () => {
    const { teamId, test: key } = await server.createTeam();
    const tenant = await tenantOf(server, teamId, 'test');
    let isOver = false;
    // More at a moment than it takes to have some happen during each look at the table.
    const events = Array.from({ length: 16 }, async () => {
      while (!isOver) await recordExample(server, tenant, 'wallet.debit', 'ord_0');
    });
    try {
      for (const transport of transports) {
        const subscriber = transport.subscribe(server.url, { key });
        await subscriber.sees(1);
        subscriber.cut();
      }
    } finally {
      isOver = true;
      await Promise.all(events);
    }
  });
});
