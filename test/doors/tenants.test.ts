import { getNamedType, isCompositeType } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gatewaySchema } from '../../schema/index.ts';
import { rulesOf } from '../../schema/operation.ts';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { type Belongings, furnish, namingRequests } from './soundRequests.ts';

/**
 * What a team has in one mode is nobody else's: not of another team, and not of its own other mode. For every query and
 * mutation of the schema that agencies have, present and future: one that is not named here fails.
 */

/** Lists and sums: what they select. They name nothing, so a stranger's own must stay as they were. */
const lists: Readonly<Record<string, string>> = {
  walletBalance: '{ balance availableCredit pendingAmount lastTransactionAt }',
  walletTransactions: '{ transactions { id } pagination { total } summary { totalCredits periodStart } }',
  recharges: '{ items { id } pagination { total } }',
  bookings: '{ items { id } pagination { total } }',
  webhooks: '{ items { id } pagination { total } }',
  latestEventId: '',
};

/** These ask for nothing that anyone has. */
const others = ['eventTypes', 'flightSearch', 'createRecharge', 'createWebhook'];

const schema = gatewaySchema();
const operations = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(root?.getFields() ?? {})
    .filter(({ name }) => rulesOf(schema, kind, name).scope !== 'operator')
    .map(({ name, args, type }) => ({ kind, name, args, isComposite: isCompositeType(getNamedType(type)) }));
});

/** A document that takes the variables that are given. */
function documentOf({ kind, name, args, isComposite }: (typeof operations)[number], variables: Json): string {
  const given = args.filter((argument) => argument.name in variables);
  const declared = given.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const selection = lists[name] ?? (isComposite ? '{ __typename }' : '');
  return given.length === 0
    ? `${kind} { ${name} ${selection} }`
    : `${kind} (${declared}) { ${name}(${passed}) ${selection} }`;
}

const unknown: Omit<Belongings, 'bookingRequest' | 'payments'> = {
  recharge: newIdentifier('rch'),
  booking: newIdentifier('ord'),
  hold: newIdentifier('ord'),
  offer: newIdentifier('off'),
  offerRequest: newIdentifier('orq'),
  webhook: newIdentifier('wh'),
  event: newIdentifier('evt'),
  delivery: `${newIdentifier('evt')}.${newIdentifier('wh')}`,
};

describeEngines('what a team has in one mode', (engine) => {
  let server: TestServer;
  const clock = new TestClock();
  const keys: Record<string, TeamKeys> = {};
  const belongings: Record<string, Belongings> = {};
  /** What strangers' lists answered before anyone else had anything, by key and operation. */
  const before = new Map<string, string>();

  const ask = async (operation: (typeof operations)[number], variables: Json, key: string) =>
    (await server.graphql(documentOf(operation, variables), variables, key)).text;
  const listings = operations.filter(({ name }) => name in lists);

  beforeAll(async () => {
    const settings = {
      // Nothing is sent, and no supplier changes a booking.
      ROLES: 'api',
      WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      WEBHOOK_REACHABILITY_CHECK: 'false',
    };
    server = await startTestServer(engine, { settings, clock });
    // A stranger to both modes of the owner; and an owner of each mode, whose other mode is a stranger to it.
    for (const name of ['stranger', 'live', 'test']) keys[name] = await server.createTeam();
    const { stranger, live, test } = keys as Record<'stranger' | 'live' | 'test', TeamKeys>;
    for (const key of [stranger.live, stranger.test, live.test, test.live])
      for (const operation of listings) before.set(key + operation.name, await ask(operation, {}, key));
    belongings.live = await furnish(server, live.live, 'live');
    belongings.test = await furnish(server, test.test, 'test');
  });
  afterAll(() => server?.close());

  const strangersOf = (mode: 'live' | 'test'): string[] => {
    const other = mode === 'live' ? 'test' : 'live';
    return [keys.stranger![mode], keys.stranger![other], keys[mode]![other]];
  };

  it('is asked for by operations that are all named here', () => {
    const here = [...Object.keys(lists), ...Object.keys(namingRequests), ...others];
    expect(operations.map(({ name }) => name).sort()).toEqual(here.sort());
  });

  describe.each(['live', 'test'] as const)('(%s)', (mode) => {
    /** Whatever was asked, all is as it was. */
    afterEach(async () => {
      const { recharge, booking, webhook } = belongings[mode]!;
      const [{ told } = { told: null }] = await server.query<{ told: unknown }>(
        `SELECT json_build_array((SELECT status FROM recharges WHERE id = $1),
                (SELECT status FROM bookings WHERE id = $2),
                (SELECT active AND deleted_at IS NULL AND updated_at = created_at FROM webhooks WHERE id = $3),
                (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $3),
                (SELECT count(*) FROM bookings b WHERE b.wallet_id = w.wallet_id)) AS told
           FROM webhooks w WHERE w.id = $3`,
        [recharge, booking, webhook],
      );
      expect(told).toEqual(['pending', 'confirmed', true, 2, 2]);
    });

    it.each(listings)('changes nothing in what $name answers to others', async (operation) => {
      const own = await ask(operation, {}, keys[mode]![mode]);
      for (const key of strangersOf(mode)) {
        expect(await ask(operation, {}, key)).toBe(before.get(key + operation.name));
      }
      expect(own).not.toBe(before.get(keys.stranger![mode] + operation.name));
    });

    it.each(operations.filter(({ name }) => name in namingRequests))(
      'is for others not there when they ask $name',
      async (operation) => {
        const own = belongings[mode]!;
        const variables = namingRequests[operation.name]!(own);
        const ofNothing = namingRequests[operation.name]!({ ...own, ...unknown });
        for (const key of strangersOf(mode)) {
          const answer = await ask(operation, variables, key);
          expect(answer).toMatch(/"code":"(NOT_FOUND|FORBIDDEN)"/);
          expect(answer).toBe(await ask(operation, ofNothing, key));
        }
      },
    );

    it('is told to its own webhooks alone', async () => {
      const wallets = await server.query<{ own: boolean }>(
        `SELECT e.team_id = $2 AND e.mode = $3 AS own
           FROM webhook_deliveries d JOIN events e ON e.id = d.event_id WHERE d.webhook_id = $1`,
        [belongings[mode]!.webhook, keys[mode]!.teamId, mode],
      );
      expect(wallets).toEqual([{ own: true }, { own: true }]);
    });
  });
});
