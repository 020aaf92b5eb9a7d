import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inDays } from '../bookings/bookingSteps.ts';
import { oneWay } from '../flights/searches.ts';
import { requestRecharge, writeEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { availableEngines } from '../harness/engines.ts';
import { sampleOf } from '../harness/metricSamples.ts';
import { rawRequest } from '../harness/rawRequest.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { subjectEvents, transports, walletEvents } from '../harness/subscribers.ts';

const anyEngine = availableEngines().at(-1)!;

describe('Faults of the service', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.close());

  const errorLines = () => server.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);

  /** Until the test is over, whatever needs this table fails. */
  async function takeAway(table: string): Promise<void> {
    await server.query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    onTestFinished(async () => void (await server.query(`ALTER TABLE ${table}_away RENAME TO ${table}`)));
  }

  it('that GraphQL finds in a result reach nobody in its words', async () => {
    const { test: key } = await server.createTeam();
    const body = oneWay('GRU-GIG', inDays(30));
    const found = await server.rest('POST', '/api/v1/flights/search', { key, body });
    const id = found.body.offers[0].id;
    await server.query(
      `UPDATE flight_searches SET document =
         convert_to(replace(convert_from(document, 'UTF8'), '"economy"', '"a cabin that is none"'), 'UTF8')`,
    );
    const query = `{ offer(id: "${id}") { slices { segments { passengers { cabinClass } } } } }`;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { status, body: answer } = await server.graphql(query, null, key);
      expect(status).toBe(200);
      expect(answer.errors?.length).toBeGreaterThan(0);
      for (const { message, extensions } of answer.errors ?? [])
        expect([message, extensions]).toEqual(['Internal error', { code: 'INTERNAL_ERROR', details: {} }]);
      expect(JSON.stringify(answer)).not.toContain('a cabin');
    }
    expect(JSON.stringify(errorLines())).toContain('a cabin that is none');
  });

  it('reach nobody in their own words, and the log with the request id', async () => {
    const { test: key } = await server.createTeam();
    await takeAway('recharges');
    const query = '{ walletBalance { balance } recharge(id: "rch_01jd4ynv5te5j8v2r0h3m6x9qa") { id } }';
    const expected = {
      errors: [
        {
          message: 'Internal error',
          locations: [{ line: 1, column: expect.any(Number) }],
          path: ['recharge'],
          extensions: { code: 'INTERNAL_ERROR', details: {} },
        },
      ],
      data: null,
      extensions: { _meta: { test_mode: true, message: expect.any(String) } },
    };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const headers = { 'x-request-id': `attempt-${attempt}` };
      const { status, body } = await server.graphql(query, null, key, headers);
      expect([status, body]).toEqual([200, expected]);
      expect(errorLines().filter(({ requestId }) => requestId === `attempt-${attempt}`)).toHaveLength(1);
    }
    const streamed = await server.graphql(query, null, key, { accept: 'text/event-stream' });
    expect(JSON.parse(/^data: (.*)$/m.exec(streamed.text)?.[1] ?? '')).toEqual(expected);
    const raw = await connectRawSocket(server.url, key);
    raw.send({ type: 'subscribe', id: '1', payload: { query } });
    expect((await raw.receives(({ id }) => id === '1')).payload).toEqual(expected);
    raw.socket.terminate();
    const rest = await server.rest('GET', '/api/v1/wallet/recharge/rch_01jd4ynv5te5j8v2r0h3m6x9qa', { key });
    expect([rest.status, rest.body]).toEqual([
      500,
      {
        success: false,
        error: { code: 'INTERNAL_ERROR', message: 'Internal error', details: {} },
        _meta: expected.extensions._meta,
      },
    ]);
    const requestId = rest.headers.get('x-request-id');
    const lines = errorLines().filter((line) => line.requestId === requestId);
    expect(lines).toHaveLength(1);
    expect(lines[0].err.message).toContain('recharges');
    const link = '/pix/rch_01jd4ynv5te5j8v2r0h3m6x9qa.png';
    const shown = await server.rest('GET', link, { headers: { accept: 'text/html' } });
    expect([shown.status, /<h1>(.*)<\/h1>/.exec(shown.text)?.[1]]).toEqual([
      500,
      'Não foi possível abrir o link',
    ]);
  });

  it('cut a stream of events without a last result, so that its client comes back', async () => {
    const { test: key } = await server.createTeam();
    await takeAway('events');
    const after = 'evt_01jd4ynv5te5j8v2r0h3m6x9qa';
    const streamed = server.graphql(walletEvents, { after }, key, { accept: 'text/event-stream' });
    await expect(streamed).rejects.toThrow();
  });

  it('in an event are told to each of its subscribers, and the log of each', async () => {
    const { teamId, live: key } = await server.createTeam();
    const subscribers = transports.map((transport) =>
      transport.subscribe(server.url, { key, query: walletEvents }),
    );
    onTestFinished(() => {
      for (const subscriber of subscribers) subscriber.cut();
    });
    const open = () => sampleOf(server.url, 'embarque_subscribers');
    await eventually(async () => (await open()) === subscribers.length);
    const [broken] = await writeEvents(server, teamId, 'live', { count: 1 });
    const rename = (from: string, to: string) =>
      server.query(
        `BEGIN; SET LOCAL session_replication_role = replica;
         UPDATE events SET data = replace(data::text, '"${from}"', '"${to}"')::json WHERE id = '${broken}'; COMMIT`,
      );
    await rename('object', 'nothing');
    onTestFinished(async () => void (await rename('nothing', 'object')));
    await requestRecharge(server, key);
    const faults = () => errorLines().filter(({ err }) => err?.message.includes('EventData.object'));
    for (const { results } of subscribers) {
      await eventually(() => results.length === 2);
      expect(results[0].errors).toMatchObject([{ message: 'Internal error' }]);
    }
    expect(new Set(faults().map(({ requestId }) => requestId)).size).toBe(subscribers.length);
  });

  it('refuse a stream of events that has not begun, so that its client comes back', async () => {
    const { test: key } = await server.createTeam();
    await takeAway('recharges');
    const variables = { id: 'rch_01jd4ynv5te5j8v2r0h3m6x9qa' };
    const accept = 'text/event-stream';
    const { status, body } = await server.graphql(subjectEvents('rechargeUpdated'), variables, key, {
      accept,
    });
    expect(status).toBe(500);
    expect(body.errors).toMatchObject([
      { message: 'Internal error', extensions: { code: 'INTERNAL_ERROR' } },
    ]);
  });

  it('answer a preflight whose origin cannot be looked up', async () => {
    await takeAway('teams');
    const headers = { origin: 'https://agency.example', 'access-control-request-method': 'POST' };
    const { status, body } = await rawRequest(server.url, { method: 'OPTIONS', path: '/graphql', headers });
    expect([status, body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
  });

  it('are no more talkative when the caller cannot be looked up', async () => {
    await takeAway('api_keys');
    const key = `sk_test_${'x'.repeat(43)}`;
    const rest = await server.rest('GET', '/api/v1/wallet/balance', { key });
    expect([rest.status, rest.body.error]).toEqual([
      500,
      { code: 'INTERNAL_ERROR', message: 'Internal error', details: {} },
    ]);
    for (const accept of ['application/json', 'text/event-stream']) {
      const { status, body } = await server.graphql('{ walletBalance { balance } }', null, key, { accept });
      expect([status, body]).toEqual([
        500,
        { errors: [{ message: 'Internal error', extensions: { code: 'INTERNAL_ERROR', details: {} } }] },
      ]);
    }
  });
});
