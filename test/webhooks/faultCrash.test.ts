import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/infrastructure/database/database.ts';
import type { Build, BuiltServer } from '../harness/builtServer.ts';
import { allocateStore, buildServer } from '../harness/builtServer.ts';
import { testCertificates } from '../harness/certificates.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { Receiver } from '../harness/receiver.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
import { silentLog } from '../harness/silentLog.ts';

/** Events of the whole run; CRASH_EVENTS=2000 for the full size, which takes longer than a suite should. */
const eventCount = Number(process.env.CRASH_EVENTS ?? 200);
const webhookCount = 10;
const kills = eventCount < 2_000 ? 2 : 5;
const clients = 8;
/** Requests to one webhook that a server has under way at most. */
const largestShare = 100;
const eventTypes = ['wallet.recharge.pending', 'wallet.recharge.completed', 'wallet.credit'];

interface StoredWebhook {
  url: string;
  total: number;
  failed: number;
  deliveries: number;
  undelivered: number;
  attempts: number;
  failures: number;
  /** Deliveries whose attempts are not numbered 1, 2, 3 … as many as were made. */
  misnumbered: number;
}

let build: Build;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embarque-authority-'));
  await writeFile(join(folder, 'authority.pem'), (await testCertificates()).authority);
  build = await buildServer();
});
afterAll(async () => {
  await build?.remove();
  await rm(folder, { recursive: true, force: true });
});

describeEngines('kill -9 while webhooks are delivered', (engine) => {
  let store: Awaited<ReturnType<typeof allocateStore>>;
  let environment: Record<string, string>;
  let receiver: Receiver;
  let acknowledged = 0;

  beforeAll(async () => {
    store = await allocateStore(engine);
    receiver = await startReceiver(answer(200));
    environment = {
      ...store.environment,
      WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      // Other suites ask whether receivers are reachable; here it would take the time that attempts have.
      WEBHOOK_REACHABILITY_CHECK: 'false',
      // Leases of the dead lapse after three times this.
      WEBHOOK_TIMEOUT: '2s',
      WEBHOOK_RETRY_DELAYS: '0s,1s,1s,1s,1s,1s',
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    };
  });
  afterAll(async () => {
    await receiver?.close();
    await store?.release();
  });

  const post = async ({ url }: BuiltServer, path: string, body?: object) => {
    const reply = await restRequest(url, 'POST', path, { key: store.keys.test, ...(body ? { body } : {}) });
    if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`);
    return reply.body.data;
  };

  /** Whether any of a webhook's deliveries is still to be sent, or recorded. */
  async function isAwaited(server: BuiltServer, webhookId: string): Promise<boolean> {
    const query = `query ($id: String!, $before: String) {
      webhookDeliveries(webhookId: $id, before: $before, status: [pending], limit: 100) { items { id } next }
    }`;
    let before: string | null = null;
    do {
      const { webhookDeliveries: page } = await post(server, '/graphql', {
        query,
        variables: { id: webhookId, before },
      });
      if (page.items.length > 0) return true;
      before = page.next;
    } while (before !== null);
    return false;
  }

  const deliveries = () => receiver.requests.filter(({ method }) => method === 'POST');

  /** Events that arrived at each webhook, by its path. */
  function arrived(): Map<string, Set<string>> {
    const events = new Map<string, Set<string>>();
    for (const { path, headers } of deliveries())
      events.set(path, (events.get(path) ?? new Set()).add(headers['x-service-event-id'] ?? ''));
    return events;
  }

  /** Clients that recharge and pay: three events each time, until `isOver`. */
  async function work(server: BuiltServer, isOver: () => boolean): Promise<void> {
    const client = async () => {
      while (!isOver()) {
        const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
        const { id } = await post(server, '/api/v1/wallet/recharge', body);
        acknowledged += 1;
        await post(server, `/api/v1/test_helpers/recharges/${id}/pay`);
        acknowledged += 2;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: clients }, client));
    // A connection that breaks is what the death of a server looks like; before it, nothing may fail.
    const faults = ends.filter((end) => end.status === 'rejected');
    if (!isOver()) expect(faults).toEqual([]);
  }

  /** Works until the server dies, at a random point of the deliveries that are its share of the run. */
  async function workAndDie(server: BuiltServer): Promise<void> {
    const share = (eventCount * webhookCount) / (kills + 1);
    const deadly = deliveries().length + Math.ceil(share * (0.1 + 0.9 * Math.random()));
    let death: Promise<void> | null = null;
    receiver.behave((request, socket) => {
      // In the middle of a delivery: sent, and never answered.
      if (receiver.requests.length >= deadly) death ??= server.kill();
      else answer(200)(request, socket);
    });
    await work(server, () => death !== null);
    await death;
    receiver.behave(answer(200));
  }

  async function inStore<Result>(read: (query: <Row>(sql: string) => Promise<Row[]>) => Promise<Result>) {
    const database = await openDatabase(readSettings(environment), [], silentLog);
    try {
      return await read(async (sql) => (await database.sequelize.query(sql))[0] as never);
    } finally {
      await database.close();
    }
  }

  it('loses no delivery: every event arrives everywhere, and what is counted is what is logged', async () => {
    let server = await build.start(environment);
    const ids: string[] = [];
    for (let index = 0; index < webhookCount; index += 1) {
      const body = { url: receiver.url(`/${index}`), events: eventTypes };
      ids.push((await post(server, '/api/v1/webhooks', body)).id);
    }
    for (let death = 0; death < kills; death += 1) {
      await workAndDie(server);
      server = await build.start(environment);
    }
    await work(server, () => acknowledged >= eventCount);
    expect(await server.stop()).toBe(0);
    const events = await inStore(async (query) =>
      (await query<{ id: string }>(`SELECT id FROM events WHERE type IN ('${eventTypes.join("','")}')`)).map(
        ({ id }) => id,
      ),
    );
    expect(events.length).toBeGreaterThanOrEqual(acknowledged);

    const survivor = await build.start(environment);
    await eventually(
      () =>
        arrived().size === webhookCount && [...arrived().values()].every(({ size }) => size >= events.length),
      30_000,
    );
    // What arrived from a dying server is recorded when its lease has lapsed and it was sent again.
    for (const id of ids) await eventually(async () => !(await isAwaited(survivor, id)), 30_000);
    expect(await survivor.stop()).toBe(0);
    for (const set of arrived().values()) expect([...set].sort()).toEqual([...events].sort());

    const webhooks = await inStore((query) =>
      query<StoredWebhook>(`
        SELECT w.url, w.total_deliveries::integer AS total, w.failed_deliveries::integer AS failed,
               count(*)::integer AS deliveries, count(*) FILTER (WHERE d.status <> 'delivered')::integer AS undelivered,
               sum(a.made)::integer AS attempts, sum(a.failed)::integer AS failures,
               count(*) FILTER (WHERE a.made <> d.attempts_made OR a.last <> a.made)::integer AS misnumbered
          FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id
         CROSS JOIN LATERAL (SELECT count(*) AS made, max(number) AS last, count(*) FILTER (WHERE reason <> 'ok') AS failed
                               FROM webhook_attempts WHERE delivery_id = d.id) a
         GROUP BY w.id`),
    );
    expect(webhooks).toHaveLength(webhookCount);
    let unrecorded = 0;
    for (const { url, ...counts } of webhooks) {
      expect(counts).toEqual({
        total: counts.attempts,
        failed: counts.failures,
        deliveries: events.length,
        undelivered: 0,
        attempts: counts.attempts,
        failures: counts.failures,
        misnumbered: 0,
      });
      const requests = deliveries().filter(({ path }) => path === new URL(url).pathname).length;
      // What a dying server sent and could not record any more was sent again: only that is not logged. An attempt
      // that is logged as failed may have arrived or not.
      expect(requests).toBeGreaterThanOrEqual(counts.attempts - counts.failures);
      expect(requests).toBeLessThanOrEqual(counts.attempts + kills * largestShare);
      unrecorded += requests - (counts.attempts - counts.failures);
    }
    expect(unrecorded).toBeGreaterThan(0);
    const ledger = await build.verifyLedger(environment);
    expect({ code: ledger.code, stderr: ledger.stderr }).toEqual({ code: 0, stderr: '' });
  });
});
