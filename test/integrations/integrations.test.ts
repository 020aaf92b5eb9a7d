import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { simulatedSupplier } from '../../src/infrastructure/flights/simulated/simulatedSupplier.ts';
import type { FlightSupplier } from '../../src/infrastructure/flights/supplier.ts';
import { oneWay } from '../flights/searches.ts';
import { payRecharge, requestRecharge, storedEvents } from '../harness/activity.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const fields = '{ teamId mode kind name connected updatedAt }';
const declared = '$teamId: String!, $mode: Mode!, $kind: IntegrationKind!, $name: String!';
const given = 'teamId: $teamId, mode: $mode, kind: $kind, name: $name';
const documents = {
  connect: `mutation (${declared}) { outcome: connectIntegration(${given}) ${fields} }`,
  disconnect: `mutation (${declared}) { outcome: disconnectIntegration(${given}) ${fields} }`,
  list: `query ($teamId: String!, $mode: Mode!) { outcome: integrations(teamId: $teamId, mode: $mode) ${fields} }`,
};

const world = simulatedSupplier(new ManualClock(new Date('2026-11-17T12:00:00.000Z')));
const asked: string[] = [];

const named = (name: string): FlightSupplier => ({
  name,
  orders: world.orders,
  async search(search, options) {
    asked.push(name);
    return (await world.search(search, options)).slice(0, 2);
  },
});

describeEngines('Integrations', (engine) => {
  const clock = new ManualClock(new Date('2026-11-17T12:00:00.000Z'));
  let server: TestServer;
  beforeAll(async () => {
    // One has the name of the payment provider, as all have by default.
    server = await startTestServer(engine, { clock, flightSuppliers: [named('one'), named('simulated')] });
  });
  afterAll(() => server?.close());
  beforeEach(() => {
    asked.length = 0;
  });

  const ask = (name: keyof typeof documents, variables: object, headers = {}) =>
    server.graphql(documents[name], variables, server.keys.operator, headers);

  async function does(name: keyof typeof documents, variables: object): Promise<Json> {
    const { body } = await ask(name, variables);
    expect(body.errors).toBeUndefined();
    return body.data.outcome;
  }

  async function refusal(name: keyof typeof documents, variables: object): Promise<Json> {
    const { body } = await ask(name, variables);
    const [error] = body.errors ?? [];
    return { message: error?.message, code: error?.extensions.code };
  }

  const supplier = (teamId: string, mode = 'live', name = 'one') => ({
    teamId,
    mode,
    kind: 'flight_supplier',
    name,
  });
  const provider = (teamId: string, mode = 'live') => ({
    teamId,
    mode,
    kind: 'payment_provider',
    name: 'simulated',
  });

  const searchOverRest = async (key: string) => {
    const { status, body } = await server.rest('POST', '/api/v1/flights/search', {
      key,
      body: oneWay('GRU-LIS'),
    });
    return status === 200 ? { offers: body.offers.length } : { status, ...body.error };
  };
  const searchOverGraphql = async (key: string) => {
    const { body } = await server.graphql(
      'query ($search: FlightSearchInput!) { flightSearch(search: $search) { offers { id } } }',
      { search: oneWay('GRU-LIS') },
      key,
    );
    const [error] = body.errors ?? [];
    return error
      ? { status: 422, message: error.message, ...error.extensions }
      : { offers: body.data.flightSearch.offers.length };
  };

  const rechargeBody = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
  const recharge = (key: string, headers = {}) =>
    server.rest('POST', '/api/v1/wallet/recharge', { key, body: rechargeBody, headers });

  it('are all connected at first', async () => {
    const { teamId } = await server.createTeam();
    for (const mode of ['live', 'test']) {
      expect(await does('list', { teamId, mode })).toEqual(
        [supplier(teamId, mode), supplier(teamId, mode, 'simulated'), provider(teamId, mode)].map((one) => ({
          ...one,
          connected: true,
          updatedAt: null,
        })),
      );
    }
  });

  describe.each([
    ['REST', searchOverRest],
    ['GraphQL', searchOverGraphql],
  ])('searched through %s', (_door, search) => {
    it('a disconnected supplier is not asked for that team and mode, and for others it is', async () => {
      const [team, other] = [await server.createTeam(), await server.createTeam()];
      const disconnected = await does('disconnect', supplier(team.teamId));
      expect(disconnected).toEqual({
        ...supplier(team.teamId),
        connected: false,
        updatedAt: clock.now().toISOString(),
      });
      for (const [teamId, mode, connected] of [
        [team.teamId, 'live', false],
        [team.teamId, 'test', true],
        [other.teamId, 'live', true],
      ]) {
        const [first] = await does('list', { teamId, mode });
        expect(first).toMatchObject({ teamId, mode, name: 'one', connected });
      }
      expect(await search(team.live)).toEqual({ offers: 2 });
      expect(asked.splice(0)).toEqual(['simulated']);
      for (const key of [team.test, other.live]) {
        expect(await search(key)).toEqual({ offers: 4 });
        expect(asked.splice(0).sort()).toEqual(['one', 'simulated']);
      }
      expect(await does('connect', supplier(team.teamId))).toMatchObject({ connected: true });
      expect(await search(team.live)).toEqual({ offers: 4 });
      expect(asked.sort()).toEqual(['one', 'simulated']);
    });

    it('a team without any supplier is told so, and none is asked', async () => {
      const { teamId, live } = await server.createTeam();
      for (const name of ['one', 'simulated']) await does('disconnect', supplier(teamId, 'live', name));
      expect(await search(live)).toMatchObject({
        status: 422,
        code: 'VALIDATION_ERROR',
        message: 'Flight search unavailable',
        details: { reason: 'not_connected' },
      });
      expect(asked).toEqual([]);
      expect((await recharge(live)).status).toBe(201);
    });
  });

  it('a disconnected payment provider refuses new recharges, and completes those made before', async () => {
    const { teamId, live, test } = await server.createTeam();
    const before = await requestRecharge(server, test);
    await does('disconnect', provider(teamId, 'test'));
    const refused = await recharge(test);
    expect(refused).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'VALIDATION_ERROR',
          message: 'Payment provider not connected',
          details: { field: 'payment_method', type: 'not_connected' },
        },
      },
    });
    await expect(requestRecharge(server, test)).rejects.toThrow('Payment provider not connected');
    const asked = 'mutation { createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id } }';
    const { body: told } = await server.graphql(asked, null, test);
    expect(told.errors?.[0]?.extensions.details.field).toBe('paymentMethod');
    const [counted] = await server.query<{ total: string }>(
      'SELECT count(*) AS total FROM recharges WHERE team_id = $1',
      [teamId],
    );
    expect(counted?.total).toBe('1');
    expect((await recharge(live)).status).toBe(201);
    expect(await searchOverRest(test)).toEqual({ offers: 4 });
    await payRecharge(server, test, before);
    const { body } = await server.rest('GET', `/api/v1/wallet/recharge/${before}`, { key: test });
    expect(body.data.status).toBe('completed');
    await does('connect', provider(teamId, 'test'));
    expect((await recharge(test)).status).toBe(201);
  });

  it('tell each change as an event of that team and mode', async () => {
    const { teamId } = await server.createTeam();
    const before = (await storedEvents(server, teamId, 'test')).length;
    await does('disconnect', supplier(teamId, 'test', 'simulated'));
    await does('connect', supplier(teamId, 'test', 'simulated'));
    const object = { name: 'simulated', kind: 'flight_supplier', updated_at: clock.now().toISOString() };
    const told = (await storedEvents(server, teamId, 'test')).slice(before);
    expect(told.map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'integration.disconnected',
        data: { object: { ...object, connected: false }, previousAttributes: { connected: true } },
      },
      {
        type: 'integration.connected',
        data: { object: { ...object, connected: true }, previousAttributes: { connected: false } },
      },
    ]);
    const inLive = await storedEvents(server, teamId, 'live');
    expect(inLive.filter(({ type }) => type.startsWith('integration.'))).toEqual([]);
  });

  it.each(['connect', 'disconnect'] as const)('%s refuses what is not there', async (name) => {
    const { teamId } = await server.createTeam();
    const notFound = (noun: string) => ({ message: `${noun} not found`, code: 'NOT_FOUND' });
    expect(await refusal(name, supplier('team_01jd4yh0gge5j8v2r0h3m6x9qh'))).toEqual(notFound('Team'));
    for (const unknown of [
      supplier(teamId, 'live', 'third'),
      { ...provider(teamId), name: 'one' },
      supplier(teamId, 'live', ''),
    ]) {
      expect(await refusal(name, unknown)).toEqual(notFound('Integration'));
    }
  });

  it('are not switched where that cannot be told', async () => {
    const { teamId } = await server.createTeam();
    await server.query(
      `ALTER TABLE events ADD CONSTRAINT nothing_told CHECK (team_id <> '${teamId}') NOT VALID`,
    );
    const refused = await refusal('disconnect', supplier(teamId)).finally(() =>
      server.query('ALTER TABLE events DROP CONSTRAINT nothing_told'),
    );
    expect(refused.code).toBe('INTERNAL_ERROR');
    const [kept] = await does('list', { teamId, mode: 'live' });
    expect(kept).toEqual({ ...supplier(teamId), connected: true, updatedAt: null });
    expect(await does('disconnect', supplier(teamId))).toMatchObject({ connected: false });
  });

  it('are switched once: what is so already is a conflict, also for requests that come at once', async () => {
    const { teamId } = await server.createTeam();
    const conflict = (state: string) => ({
      message: `Integration already ${state}`,
      code: 'VALIDATION_ERROR',
    });
    expect(await refusal('connect', supplier(teamId))).toEqual(conflict('connected'));
    for (const [name, state] of [
      ['disconnect', 'disconnected'],
      ['connect', 'connected'],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(name, supplier(teamId))));
      const refusals = answers.flatMap(({ body }) => body.errors ?? []);
      expect(refusals.map(({ message }) => message)).toEqual(Array(4).fill(conflict(state).message));
      const events = await storedEvents(server, teamId, 'live');
      expect(events.filter(({ type }) => type === `integration.${state}`)).toHaveLength(1);
    }
  });

  it('connecting repeats its answer for an Idempotency-Key', async () => {
    const { teamId } = await server.createTeam();
    await does('disconnect', supplier(teamId));
    const headers = { 'idempotency-key': `connect-${teamId}` };
    const first = await ask('connect', supplier(teamId), headers);
    clock.advance(1_000);
    const again = await ask('connect', supplier(teamId), headers);
    expect(again.text).toBe(first.text);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await ask('connect', supplier(teamId, 'test'), headers);
    expect(other.body.errors?.[0].message).toBe('Idempotency-Key was used for a different request');
    const events = await storedEvents(server, teamId, 'live');
    expect(events.filter(({ type }) => type === 'integration.connected')).toHaveLength(1);
  });
});
