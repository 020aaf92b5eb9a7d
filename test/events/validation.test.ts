import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventTypes } from '../../src/domain/events/catalogue.ts';
import { recordEvent } from '../../src/domain/events/recording.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import { requestRecharge, storedEvents, tenantOf } from '../harness/activity.ts';
import { testCertificates } from '../harness/certificates.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import type { Receiver } from '../harness/receiver.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { allEvents, transports } from '../harness/subscribers.ts';

describeEngines('An event', (engine) => {
  let server: TestServer;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver(answer(200));
    server = await startTestServer(engine, {
      forgesEvents: true,
      webhookAuthority: (await testCertificates()).authority,
      settings: { WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true' },
    });
  });
  afterAll(async () => {
    await server?.close();
    await receiver?.close();
  });

  /** Writes an event straight into the table, with a delivery for each webhook of the team. @returns its id. */
  async function forge(tenant: Tenant, type: string, data: object): Promise<string> {
    const [forged] = await server.query<{ id: string }>(
      `WITH stream AS (UPDATE wallets SET event_count = event_count + 1 WHERE id = $1 RETURNING event_count), event AS (
         INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
         SELECT $1, event_count, $5, $2, 'test', $3, 'forged', $4::json, now() FROM stream RETURNING *
       ), delivery AS (
         INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
         SELECT w.id, e.id, e.type, 'pending', e.created_at, e.created_at
           FROM event e JOIN webhooks w ON w.wallet_id = e.wallet_id
       )
       SELECT id FROM event`,
      [tenant.walletId, tenant.teamId, type, JSON.stringify(data), newIdentifier('evt')],
    );
    return forged!.id;
  }

  const complaints = (eventId: string) =>
    server.logLines
      .filter((line) => line.includes(eventId) && line.includes('catalogue'))
      .map((line) => JSON.parse(line));

  /** How many faults of a type the metrics count. */
  const faultsOf = (type: string) => sampleOf(server.url, `embarque_event_faults_total{type="${type}"}`);

  it('that does not fit the catalogue is not recorded, and undoes the change that it belongs to', async () => {
    const { teamId } = await server.createTeam();
    const { platform } = server.running.gateway;
    const tenant = await tenantOf(server, teamId, 'live');
    const before = await storedEvents(server, teamId, 'live');
    const recording = platform.sequelize.transaction(async () => {
      await platform.sequelize.query(`UPDATE teams SET name = 'Changed' WHERE id = '${teamId}'`);
      await recordEvent(
        tenant,
        { type: 'wallet.low_balance', subjectId: teamId, object: { balance: 4.5 } },
        platform,
      );
    });
    await expect(recording).rejects.toThrow(
      'wallet.low_balance does not fit the catalogue: object.balance: invalid_type',
    );
    expect(await storedEvents(server, teamId, 'live')).toEqual(before);
    const [team] = await server.query<{ name: string }>('SELECT name FROM teams WHERE id = $1', [teamId]);
    expect(team?.name).not.toBe('Changed');
  });

  it('that does not fit and is in the table is told, and the log says so once, without what it holds; each time is counted', async () => {
    const { test: key, teamId } = await server.createTeam();
    const tenant = await tenantOf(server, teamId, 'test');
    const [start] = await storedEvents(server, teamId, 'test');
    const forged = await forge(tenant, 'wallet.credit', { object: { id: 'txn_secretive' } });
    await requestRecharge(server, key);
    const variables = { after: start.id };
    expect(await faultsOf('wallet.credit')).toBe(0);
    for (const transport of [...transports, ...transports]) {
      const subscriber = transport.subscribe(server.url, { key, query: allEvents, variables });
      const told = await subscriber.sees(2);
      expect(told[0].id).toBe(forged);
      subscriber.cut();
    }
    expect(complaints(forged)).toEqual([
      expect.objectContaining({
        msg: 'event does not fit the catalogue',
        type: 'wallet.credit',
        fault: 'object.id: invalid_format',
      }),
    ]);
    expect(await faultsOf('wallet.credit')).toBe(2 * transports.length);
    expect(await faultsOf('wallet.recharge.pending')).toBe(0);
    expect(server.logLines.join('\n')).not.toContain('txn_secretive');
  });

  it('of a type that there is not is counted without its name', async () => {
    const { test: key, teamId } = await server.createTeam();
    const tenant = await tenantOf(server, teamId, 'test');
    const [start] = await storedEvents(server, teamId, 'test');
    const forged = await forge(tenant, 'made.up', { object: {} });
    await requestRecharge(server, key);
    expect(await faultsOf('unknown')).toBe(0);
    const subscriber = transports[0]!.subscribe(server.url, {
      key,
      query: allEvents,
      variables: { after: start.id },
    });
    await subscriber.sees(1);
    subscriber.cut();
    expect(complaints(forged)).toEqual([expect.objectContaining({ fault: 'type: unknown' })]);
    expect(await faultsOf('unknown')).toBe(1);
    expect((await server.rest('GET', '/metrics')).text).not.toContain('made.up');
  });

  it('that does not fit is delivered to webhooks as well, and the log says so', async () => {
    const { test: key, teamId } = await server.createTeam();
    const body = { url: receiver.url('/forged'), events: ['wallet.debit'] };
    expect((await server.rest('POST', '/api/v1/webhooks', { key, body })).status).toBe(201);
    const tenant = await tenantOf(server, teamId, 'test');
    expect(await faultsOf('wallet.debit')).toBe(0);
    const forged = await forge(tenant, 'wallet.debit', { object: {}, previous_attributes: {} });
    const request = await eventually(() => receiver.requests.find(({ method }) => method === 'POST'));
    expect(JSON.parse(request.body.toString())).toMatchObject({ id: forged, data: { object: {} } });
    expect(complaints(forged)).toEqual([
      expect.objectContaining({ type: 'wallet.debit', fault: 'object.id: invalid_type' }),
    ]);
    expect(await faultsOf('wallet.debit')).toBe(1);
  });

  it('of every type is described by OpenAPI and GraphQL alike, with an example', async () => {
    const openapi = (await server.rest('GET', '/api/v1/openapi.json')).body;
    const { test: key } = await server.createTeam();
    const { body } = await server.graphql(
      '{ eventTypes { type description scope schema example } }',
      null,
      key,
    );
    expect(body.data.eventTypes.map(({ type }: Json) => type)).toEqual(eventTypes);
    expect(Object.keys(openapi.webhooks)).toEqual(eventTypes);
    for (const { type, description, schema, example, scope } of body.data.eventTypes) {
      const { summary, requestBody, parameters } = openapi.webhooks[type].post;
      expect(summary).toBe(description);
      const { schema: named, example: shown } = requestBody.content['application/json'];
      expect(shown).toEqual(example);
      const { slices } = schema.properties.data.properties.object.properties;
      if (slices) slices.items = { $ref: '#/components/schemas/OfferSlice' };
      expect(openapi.components.schemas[named.$ref.split('/').at(-1)]).toEqual(schema);
      for (const { $ref } of parameters) {
        expect(openapi.components.parameters).toHaveProperty([$ref.split('/').at(-1)]);
      }
      expect(scope).toMatch(/^(wallet|bookings|webhooks):read$/);
    }
  });
});
