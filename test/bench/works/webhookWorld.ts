import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { testCertificates } from '../../harness/certificates.ts';
import type { Bench } from '../bench.ts';
import type { Contender } from '../contender.ts';
import type { Arrivals } from '../peers/receiver.ts';

const patienceMs = 60_000;
const liveKey = 'sk_live_bench-webhooks';

/** The product with a worker on a database of its own, and a receiver of webhooks in a process of its own. */
export interface WebhookWorld {
  readonly product: Contender;
  /** Of the receiver's HTTPS door, without a path. */
  readonly origin: string;
  /** Path of the authority that the receiver's certificate is of. */
  readonly authorityPath: string;
  readonly liveKey: string;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Registers a webhook for recharges. @returns its id. */
  register(path: string): Promise<string>;
  /** What arrived since the last time that it was reset. */
  arrivals(reset?: boolean): Promise<Arrivals>;
  /** Records events with their deliveries, `count` for each webhook in turn, as the posting statement does. */
  seed(webhookIds: readonly string[], count: number): Promise<void>;
  /** Records events that no webhook is told of. */
  seedEvents(count: number): Promise<void>;
  /** A number that the product tells at /metrics. */
  metric(name: string): Promise<number>;
  /**
   * Resolves soon after so many have arrived. Asks about a dozen times, each time when half of what is left must have
   * come: a look every few milliseconds would take a twentieth of the machine from what is measured.
   */
  arrived(wanted: number): Promise<void>;
  /** Resolves once nothing of these webhooks is pending. */
  settled(webhookIds: readonly string[]): Promise<void>;
}

/** $1 webhooks, in turns; none for events alone. $2 how many events, which are as the catalogue describes them. */
const seedSql = `
  WITH stream AS (
    UPDATE wallets SET event_count = event_count + $2::int WHERE mode = 'live' RETURNING id, team_id, mode, event_count
  ), event AS (
    INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
    SELECT s.id, s.event_count - n + 1, 'evt_0' || substr(md5(s.event_count || '/' || n), 1, 25), s.team_id, s.mode,
           'wallet.recharge.pending', 'rch_0' || substr(md5(n::text), 1, 25),
           json_build_object('object', json_build_object('id', 'rch_0' || substr(md5(n::text), 1, 25), 'amount', '100.00',
             'currency', 'BRL', 'status', 'pending', 'payment_method', 'pix', 'created_at', iso_timestamp(now()))),
           date_trunc('milliseconds', clock_timestamp())
      FROM stream s, generate_series(1, $2::int) n
    RETURNING id, type, sequence, created_at
  )
  INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
  SELECT ($1::text[])[1 + sequence % cardinality($1::text[])], id, type, 'pending', created_at, created_at FROM event
   WHERE cardinality($1::text[]) > 0`;

export async function openWebhookWorld(
  bench: Bench,
  settings: Record<string, string>,
): Promise<WebhookWorld> {
  const { authority, valid } = await testCertificates();
  const authorityPath = join(bench.place.folder, 'webhook-authority.pem');
  await writeFile(authorityPath, authority);
  const receiver = await bench.peer('webhook receiver', 'receiver', {
    RECEIVER_CERTIFICATE: valid.cert,
    RECEIVER_KEY: valid.key,
  });
  const databaseUrl = await bench.database();
  const product = await bench.product('webhook worker', {
    DATABASE_URL: databaseUrl,
    REDIS_URL: bench.place.redisUrl ?? '',
    ROLES: 'api,worker',
    BOOTSTRAP_LIVE_KEY: liveKey,
    WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
    NODE_EXTRA_CA_CERTS: authorityPath,
    ...settings,
  });
  const arrivals = async (reset = false) =>
    (await (await fetch(receiver.url, { method: reset ? 'POST' : 'GET' })).json()) as Arrivals;
  const origin = `https://localhost:${(await arrivals()).port}`;
  // One connection: a new one for each look would cost the machine more than the deliveries that it looks for.
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  const sql = async (text: string, values?: unknown[]) => (await client.query(text, values)).rows;
  return {
    product,
    origin,
    authorityPath,
    liveKey,
    sql,
    arrivals,
    async register(path) {
      const answer = await fetch(`${product.url}/api/v1/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: origin + path, events: ['wallet.recharge.pending'] }),
      });
      const { data } = (await answer.json()) as { data?: { id: string } };
      if (!data) throw new Error(`no webhook: ${answer.status}`);
      return data.id;
    },
    async seed(webhookIds, count) {
      await sql(seedSql, [webhookIds, count * webhookIds.length]);
    },
    async seedEvents(count) {
      await sql(seedSql, [[], count]);
    },
    async metric(name) {
      const text = await (await fetch(`${product.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    },
    async arrived(wanted) {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const { count, firstMs } = await arrivals();
        if (count >= wanted) return;
        if (performance.now() > deadline) throw new Error(`${count} of ${wanted} deliveries arrived`);
        const passedMs = firstMs === null ? 0 : performance.timeOrigin + performance.now() - firstMs;
        const leftMs = (passedMs / Math.max(count, 1)) * (wanted - count);
        await delay(Math.min(Math.max(leftMs / 2, 5), 500));
      }
    },
    async settled(webhookIds) {
      const deadline = performance.now() + patienceMs;
      // In order of the index: without, PostgreSQL may read through all that was delivered, a quarter of a core's time.
      const pending = `
        SELECT 1 FROM unnest($1::text[]) AS w (id) CROSS JOIN LATERAL (
          SELECT 1 FROM webhook_deliveries WHERE webhook_id = w.id AND status = 'pending' ORDER BY due_at LIMIT 1) d
         LIMIT 1`;
      while ((await sql(pending, [webhookIds])).length > 0) {
        if (performance.now() > deadline) throw new Error('deliveries are not made');
        await delay(5);
      }
    },
  };
}
