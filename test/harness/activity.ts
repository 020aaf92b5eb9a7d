import type { EventType } from '../../src/domain/events/catalogue.ts';
import { eventCatalogue } from '../../src/domain/events/catalogue.ts';
import { recordEvent } from '../../src/domain/events/recording.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import type { Json } from './client.ts';
import type { TestServer } from './server.ts';

/** What agencies do that events tell about, and the events as the table has them. */

async function mutate(server: Pick<TestServer, 'graphql'>, key: string, query: string): Promise<Json> {
  const { body } = await server.graphql(query, null, key);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

/** Requests a recharge: one event. @returns its id. */
export async function requestRecharge(server: Pick<TestServer, 'graphql'>, key: string): Promise<string> {
  const created = await mutate(
    server,
    key,
    'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }',
  );
  return created.createRecharge.id;
}

/** What the sandbox does with a recharge of its own. */
const testHelper =
  (mutation: string) =>
  async (server: Pick<TestServer, 'graphql'>, key: string, id: string): Promise<void> => {
    await mutate(server, key, `mutation { ${mutation}(id: "${id}") { id } }`);
  };

/** Pays a recharge of the sandbox: two events. */
export const payRecharge = testHelper('payTestRecharge');

/** Lets a recharge of the sandbox expire: one event. */
export const expireRecharge = testHelper('expireTestRecharge');

/** The tenant that keys of a team and mode act for. */
export async function tenantOf(server: TestServer, teamId: string, mode: 'live' | 'test'): Promise<Tenant> {
  const [wallet] = await server.query<{ id: number }>(
    'SELECT id FROM wallets WHERE team_id = $1 AND mode = $2',
    [teamId, mode],
  );
  return { teamId, mode, walletId: wallet!.id };
}

/** Records the catalogue's example of a type, about any subject, as the product itself records events. */
export async function recordExample(
  server: TestServer,
  tenant: Tenant,
  type: EventType,
  subjectId: string,
): Promise<string> {
  const { object, previous_attributes: previousAttributes } = eventCatalogue[type].example;
  const event = { type, subjectId, object, ...(previousAttributes ? { previousAttributes } : {}) };
  return recordEvent(tenant, event, server.running.gateway.platform);
}

/** The wallet's events of a team and mode in their order: the rows of the table in the shape of the subscription. */
export async function storedWalletEvents(
  server: TestServer,
  teamId: string,
  mode: 'live' | 'test',
): Promise<Json[]> {
  return (await storedEvents(server, teamId, mode)).filter(({ type }) => type.startsWith('wallet.'));
}

/** All events of a team and mode in their order, in the shape of the subscriptions. */
export async function storedEvents(
  server: TestServer,
  teamId: string,
  mode: 'live' | 'test',
): Promise<Json[]> {
  const rows = await server.query<{
    id: string;
    type: string;
    team_id: string;
    data: Json;
    created_at: Date;
  }>(
    `SELECT id, type, team_id, data, created_at FROM events
      WHERE team_id = $1 AND mode = $2 ORDER BY sequence`,
    [teamId, mode],
  );
  return rows.map(({ id, type, team_id, data, created_at }) => ({
    id,
    type,
    apiVersion: '2026-11-01',
    createdAt: created_at.toISOString(),
    teamId: team_id,
    data: { object: data.object, previousAttributes: data.previous_attributes ?? null },
  }));
}

/**
 * Writes events straight into the table, as many and as large as a test needs, and tells nobody.
 * @returns their ids in order.
 */
export async function writeEvents(
  server: TestServer,
  teamId: string,
  mode: 'live' | 'test',
  { count, bytes = 0 }: { count: number; bytes?: number },
): Promise<string[]> {
  const rows = await server.query<{ id: string }>(
    `WITH stream AS (
       UPDATE wallets SET event_count = event_count + $3 WHERE team_id = $1 AND mode = $2
       RETURNING id, event_count - $3 AS before
     )
     INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
     SELECT id, before + n, 'evt_' || replace(gen_random_uuid()::text, '-', ''), $1, $2, 'wallet.credit', 'txn_' || n,
            json_build_object('object', json_build_object(
              'id', 'txn_' || lpad(n::text, 26, '0'), 'type', 'credit', 'amount', '1.00', 'currency', 'BRL',
              'description', repeat('x', $4 + 1), 'reference_type', 'recharge',
              'reference_id', 'rch_' || lpad(n::text, 26, '0'), 'balance_after', '5000.00', 'payment_method', 'pix',
              'created_at', iso_timestamp(now()))), now()
       FROM stream, generate_series(1, $3::integer) n
     RETURNING id, sequence`,
    [teamId, mode, count, bytes],
  );
  return rows.map(({ id }) => id);
}

/**
 * What a server leaves of a team's events that takes over from one that died before it heard of the latest: none of the
 * last `count`, whose numbers others will have.
 */
export async function loseEvents(
  server: TestServer,
  teamId: string,
  mode: 'live' | 'test',
  count: number,
): Promise<void> {
  const { walletId } = await tenantOf(server, teamId, mode);
  await server.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     DELETE FROM events e USING wallets w WHERE w.id = ${walletId} AND e.wallet_id = w.id AND e.sequence > w.event_count - ${count};
     UPDATE wallets SET event_count = event_count - ${count} WHERE id = ${walletId}; COMMIT`,
  );
}
