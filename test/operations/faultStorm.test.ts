import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { doorsAt, inDays } from '../bookings/bookingSteps.ts';
import { dataOf } from '../doors/door.ts';
import { startBreakingLink } from '../harness/breakingLink.ts';
import { allocateStore } from '../harness/builtServer.ts';
import { testCertificates } from '../harness/certificates.ts';
import { eventually, type Json, restRequest } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lookAtDead } from '../harness/killedServer.ts';
import { answer, type Receiver, startReceiver } from '../harness/receiver.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { transports } from '../harness/subscribers.ts';
import { Cluster } from './cluster.ts';
import { Follower } from './follower.ts';
import { type Agency, centsOf, oneOf, StormClients } from './stormClients.ts';
import { calmAnswers, faultsOf } from './stormFaults.ts';

/** FAULTS=200 for a storm of some three minutes. */
const faultCount = Number(process.env.FAULTS ?? 8);

/** As many as it takes: each may recharge only so much in a day. */
const agencyCount = Math.ceil(faultCount / 4);

const transportOf = (index: number) => transports[index % 2]!;

const eventTypes = ['wallet.recharge.completed', 'wallet.credit', 'wallet.debit', 'booking.cancelled'];

type Query = (sql: string, values?: unknown[]) => Promise<Json[]>;

describeSeveralSessions('Two api processes and two workers of one store', (engine) => {
  const start = useServerProcesses();

  it(
    'keep every promise while processes, the database and Redis fail',
    async () => {
      const store = await allocateStore(engine);
      onTestFinished(() => store.release());
      const { DATABASE_URL = '', REDIS_URL = '' } = store.environment;
      const query = await sessionWith(DATABASE_URL);
      const database = await startBreakingLink(new URL(DATABASE_URL));
      const redis = await startBreakingLink(new URL(REDIS_URL));
      onTestFinished(() => {
        database.close();
        redis.close();
      });
      const receiver = await unsteadyReceiver();
      const environment = {
        ...store.environment,
        ...(await stormSettings()),
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
      };
      const api = { ...environment, ROLES: 'api' };
      const worker = { ...environment, ROLES: 'worker' };
      const cluster = new Cluster({ api, 'other api': api, worker, 'other worker': worker }, start);
      onTestFinished(() => cluster.stop());
      const [one, other, ...workers] = cluster.members;
      const apis = [one!, other!];
      const allServe = () => eventually(() => cluster.members.every(({ url }) => url !== null), 60_000);
      const urlOf = () => eventually(() => oneOf(apis).url, 60_000);
      await allServe();

      const agencies = await Promise.all(
        Array.from({ length: agencyCount }, (_, index) =>
          newAgency(one!.url!, store.keys.operator, receiver.url(`/${index}`), query),
        ),
      );
      const followers = agencies.map(
        ({ key, before }, index) => new Follower(transportOf(index), key, before, urlOf),
      );
      const endFollowers = async () => {
        await Promise.all(followers.map((follower) => follower.end()));
      };
      onTestFinished(endFollowers);
      const clients = new StormClients(agencies, urlOf);
      onTestFinished(() => clients.stop().catch(() => undefined));

      const calm = async () => {
        await allServe();
        await eventually(clients.hasAcknowledged(calmAnswers), 60_000);
      };
      for (const fault of faultsOf({ apis, workers, database, redis, clients }, faultCount)) {
        await calm();
        await fault();
      }
      await calm();
      await clients.stop();
      expect(clients.met).toBeGreaterThan(0);

      // What the dead were about is done by others.
      await eventually(async () => {
        const [left] = await query(`
          SELECT (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'pending') AS deliveries,
                 (SELECT count(*)::int FROM bookings WHERE status = 'confirmed' OR order_task IS NOT NULL) AS orders`);
        return left.deliveries === 0 && left.orders === 0;
      }, 60_000);
      for (const [index, agency] of agencies.entries()) {
        await checkMoney(await urlOf(), agency, query);
        const { walletId, before } = agency;
        const events = await query(
          `SELECT id, type FROM events
            WHERE wallet_id = $1 AND sequence > (SELECT sequence FROM events WHERE id = $2) ORDER BY sequence`,
          [walletId, before],
        );
        const follower = followers[index]!;
        await eventually(() => follower.seen.length >= events.length);
        expect(follower.seen).toEqual(events.map(({ id }) => id));
        const delivered = deliveredTo(receiver, `/${index}`);
        const wanted = events.filter(({ type }) => eventTypes.includes(type));
        expect(new Set(delivered.keys())).toEqual(new Set(wanted.map(({ id }) => id)));
        expect([...delivered.values()].filter(({ size }) => size > 1)).toEqual([]);
      }
      await endFollowers();
      await cluster.stop();
      expect(cluster.faults).toEqual([]);
      await lookAtDead(store.environment, async () => undefined);
    },
    // As long as one that is slow may take.
    120_000 + faultCount * 10_000,
  );
});

/** A session with the database itself, for as long as the test. */
async function sessionWith(connectionString: string): Promise<Query> {
  const session = new pg.Client({ connectionString });
  await session.connect();
  onTestFinished(() => session.end());
  return async (sql, values = []) => (await session.query(sql, values)).rows;
}

/** Takes six of seven requests. */
async function unsteadyReceiver(): Promise<Receiver> {
  let requests = 0;
  const receiver = await startReceiver((request, socket) => {
    requests += 1;
    answer(requests % 7 === 0 ? 503 : 200)(request, socket);
  });
  onTestFinished(() => receiver.close());
  return receiver;
}

async function stormSettings(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'embarque-authority-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'authority.pem'), (await testCertificates()).authority);
  return {
    RATE_LIMIT_BOOKINGS: '1000000',
    RATE_LIMIT_SEARCH: '1000000',
    OFFER_LIFETIME: '24h',
    SIMULATED_TICKETING_DELAY: '50ms',
    // What a dead process was asking for is asked again ten seconds after this.
    FLIGHT_ORDER_TIMEOUT: '3s',
    WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
    WEBHOOK_REACHABILITY_CHECK: 'false',
    // Leases of the dead lapse after three times this.
    WEBHOOK_TIMEOUT: '2s',
    WEBHOOK_RETRY_DELAYS: ['0s', ...Array.from({ length: 11 }, () => '500ms')].join(','),
    NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
  };
}

/** An agency without money that is told of some events at `hook`. */
async function newAgency(url: string, operator: string, hook: string, query: Query): Promise<Agency> {
  const asked = async (key: string, text: string, variables: object = {}) => {
    const body = { query: text, variables };
    const { body: answered } = await restRequest(url, 'POST', '/graphql', { key, body });
    expect(answered.errors).toBeUndefined();
    return answered.data;
  };
  const { createTeam: team } = await asked(
    operator,
    'mutation { createTeam(input: { name: "Agência" }) { id } }',
  );
  const issued = await asked(
    operator,
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }',
    { input: { kind: 'live', teamId: team.id, name: 'live' } },
  );
  const key = issued.createApiKey.secret;
  await restRequest(url, 'POST', '/api/v1/webhooks', { key, body: { url: hook, events: eventTypes } });
  const { body: searched } = await restRequest(url, 'POST', '/api/v1/flights/search', {
    key,
    body: {
      type: 'one_way',
      slices: [{ origin: 'GRU', destination: 'GIG', departureDate: inDays(20) }],
      passengers: [{ type: 'adult', count: 1 }],
    },
  });
  const canBeHeld = ({ payment_requirements: terms }: Json) => !terms.requires_instant_payment;
  const [wallet] = await query("SELECT id FROM wallets WHERE team_id = $1 AND mode = 'live'", [team.id]);
  return {
    key,
    walletId: wallet.id,
    offers: { instant: searched.offers[0], hold: searched.offers.find(canBeHeld) },
    before: (await asked(key, '{ latestEventId }')).latestEventId,
    recharges: new Set(),
    bookings: new Map(),
    cents: 0n,
  };
}

/** All that was acknowledged is there, once, and nothing else. */
async function checkMoney(url: string, agency: Agency, query: Query): Promise<void> {
  const { key, walletId, recharges, bookings, cents } = agency;
  const [door] = doorsAt(url);
  expect(centsOf(dataOf(await door.balance(key)).balance)).toBe(cents);
  const made = await query('SELECT id, status FROM recharges WHERE wallet_id = $1', [walletId]);
  expect(new Map(made.map(({ id, status }) => [id, status]))).toEqual(
    new Map([...recharges].map((id) => [id, 'completed'])),
  );
  const booked = await query(
    "SELECT id, replace(status, 'ticketed', 'confirmed') AS status FROM bookings WHERE wallet_id = $1",
    [walletId],
  );
  expect(new Map(booked.map(({ id, status }) => [id, status]))).toEqual(bookings);
}

/** The bodies of each event that a webhook was sent, by its id. */
function deliveredTo({ requests }: Receiver, hook: string): Map<string, Set<string>> {
  const delivered = new Map<string, Set<string>>();
  for (const { path, headers, body } of requests) {
    const id = headers['x-service-event-id'] ?? '';
    if (path === hook) delivered.set(id, (delivered.get(id) ?? new Set()).add(body.toString()));
  }
  return delivered;
}
