import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventTypes } from '../../src/domain/events/catalogue.ts';
import { recordEvent } from '../../src/domain/events/recording.ts';
import { requestRecharge, storedEvents, tenantOf } from '../graphql/activity.ts';
import { allEvents, transports } from '../graphql/subscribers.ts';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeEngines('An event', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { forgesEvents: true });
  });
  afterAll(() => server?.close());

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

  it('that does not fit and is in the table is told, and the log says so once, without what it holds', async () => {
    const { test: key, teamId } = await server.createTeam();
    const tenant = await tenantOf(server, teamId, 'test');
    const [start] = await storedEvents(server, teamId, 'test');
    const [forged] = await server.query<{ id: string }>(
      `WITH stream AS (UPDATE wallets SET event_count = event_count + 1 WHERE id = $1 RETURNING event_count)
       INSERT INTO events (wallet_id, sequence, id, team_id, mode, type, subject_id, data, created_at)
       SELECT $1, event_count, 'evt_01jd4ynv5te5j8v2r0h3m6x9q0', $2, 'test', 'wallet.credit', 'txn_forged',
              '{"object":{"id":"txn_secretive"}}', now() FROM stream
       RETURNING id`,
      [tenant.walletId, teamId],
    );
    await requestRecharge(server, key);
    const variables = { after: start.id };
    for (const transport of [...transports, ...transports]) {
      const subscriber = transport.subscribe(server.url, { key, query: allEvents, variables });
      const told = await subscriber.sees(2);
      expect(told[0].id).toBe(forged?.id);
      subscriber.cut();
    }
    const lines = server.logLines.filter((line) => line.includes(forged!.id));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: 'event does not fit the catalogue',
        type: 'wallet.credit',
        fault: 'object.id: invalid_format',
      }),
    ]);
    expect(lines[0]).not.toContain('txn_secretive');
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
      expect(requestBody.content['application/json']).toEqual({ schema, example });
      for (const { $ref } of parameters) {
        expect(openapi.components.parameters).toHaveProperty([$ref.split('/').at(-1)]);
      }
      expect(scope).toMatch(/^(wallet|bookings|webhooks):read$/);
    }
  });
});
