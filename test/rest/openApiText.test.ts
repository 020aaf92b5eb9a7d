import { readFile } from 'node:fs/promises';
import { hasError, isStaticPix, parsePix } from 'pix-utils';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { routes } from '../../rest/routes/index.ts';
import { readSettings } from '../../src/config.ts';
import { paymentMethods } from '../../src/infrastructure/payments/provider.ts';
import { requestFor } from '../bookings/bookingSteps.ts';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { limitSettings, startTestServer } from '../harness/server.ts';
import { dayMs, hourMs, minuteMs, TestClock } from '../harness/testClock.ts';

const cents = (amount: string) => Math.round(Number(amount) * 100);

describeOneEngine('The OpenAPI document, which anyone may ask for', (engine) => {
  let server: TestServer;
  const clock = new TestClock();
  beforeAll(async () => {
    server = await startTestServer(engine, {
      clock,
      settings: { WEBHOOK_REACHABILITY_CHECK: 'false', WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true' },
    });
  });
  beforeEach(() => clock.reset());
  afterAll(() => server?.close());

  it('begins with the limits, as README has them, and the window of repeating that hold unless they are set', async () => {
    const { body } = await server.rest('GET', '/api/v1/openapi.json');
    const settings = readSettings({});
    expect(body.info.description).toContain(
      `${settings.RATE_LIMIT_SEARCH} flight searches, ${settings.RATE_LIMIT_BOOKINGS} new bookings and ` +
        `${settings.RATE_LIMIT_DEFAULT} other requests`,
    );
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    for (const [text, sentence] of [
      [body.info.description, /For each key and minute (.*), unless/],
      [readme, /A key has (.*) a minute\./],
    ]) {
      const told = sentence.exec(text)?.[1]?.match(/\d+/g)?.map(Number);
      expect(told).toEqual(limitSettings.map((name) => settings[name]));
    }
    expect(settings.RATE_LIMIT_WINDOW).toBe(minuteMs);
    expect(body.info.description).toContain(`for ${settings.IDEMPOTENCY_WINDOW / hourMs} hours`);
  });

  it('is written once, however often it is asked for', async () => {
    const writing = vi.spyOn(JSON, 'stringify');
    try {
      const texts = new Set<string>();
      for (let asked = 0; asked < 3; asked += 1) {
        const response = await fetch(`${server.url}/api/v1/openapi.json`);
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        texts.add(await response.text());
      }
      const [text = ''] = texts;
      expect(texts.size).toBe(1);
      expect(JSON.parse(text)).toHaveProperty('openapi', '3.1.0');
      const written = writing.mock.calls.filter(([value]) => (value as { openapi?: string })?.openapi);
      expect(written.length).toBeLessThanOrEqual(1);
    } finally {
      writing.mockRestore();
    }
  });

  it('has examples that are answered with success, once ids and price are those of the reader', async () => {
    const document = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
    const exampleOf = (path: string) =>
      document.paths[path].post.requestBody.content['application/json'].example;
    const post = (path: string, body: Json) =>
      server.rest('POST', `/api/v1${path}`, { key: server.keys.test, body });

    const found = await post('/flights/search', exampleOf('/flights/search'));
    expect([found.status, found.body.offers[0]?.client_amount]).toEqual([200, expect.any(String)]);

    const [offer] = found.body.offers;
    const booking = exampleOf('/bookings');
    booking.offerId = offer.id;
    booking.passengers[0].id = offer.passengers[0].id;
    booking.payments[0].amount = offer.client_amount;
    expect((await post('/bookings', booking)).status).toBe(201);

    const { payments: _later, ...hold } = booking;
    const reserve = found.body.offers.find((one: Json) => !one.payment_requirements.requires_instant_payment);
    const held = await post('/bookings', { ...hold, type: 'hold', offerId: reserve.id });
    const confirmation = exampleOf('/bookings/{id}/confirm');
    confirmation.payments[0].amount = held.body.data.total_amount;
    const confirmed = await post(`/bookings/${held.body.data.id}/confirm`, confirmation);
    expect([confirmed.status, confirmed.body.data?.status]).toEqual([200, 'confirmed']);
  });

  it('has an example of each body and each success, of the form that it describes', async () => {
    const text = await (await fetch(`${server.url}/api/v1/openapi.json`)).text();
    const document = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
    const $defs = document.components.schemas;
    const operations = Object.values<Json>(document.paths).flatMap((path) => Object.values<Json>(path));
    const faultOf = ({ schema, example }: Json) =>
      z.fromJSONSchema({ ...schema, $defs }).safeParse(example).error;
    const faults = operations.flatMap(({ operationId, requestBody, responses }) => {
      const asked = requestBody && faultOf(requestBody.content['application/json']);
      if (asked) return [[operationId, 'request', asked.issues]];
      const { content } = responses[200] ?? responses[201];
      const { example } = content['application/json'];
      const error = faultOf(content['application/json']);
      const ids = [...JSON.stringify(example).matchAll(/"(?:\w+_)?id":"([^"]*)"/g)].map(([, id]) => id);
      const isTestOnly = /^(pay|expire|fail)Test/.test(operationId);
      if (isTestOnly !== Boolean(example._meta)) return [[operationId, example._meta]];
      const odd = ids.filter((id) => !/^[a-z]{2,4}_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id ?? ''));
      return error || odd.length > 0 ? [[operationId, error?.issues, odd]] : [];
    });
    expect([operations.length, faults]).toEqual([routes.length, []]);
  });

  it('has examples of one story: the offer that is found is booked, paid and given back', async () => {
    const document = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
    const answered = (method: string, path: string) => {
      const { responses } = document.paths[path][method];
      return (responses[200] ?? responses[201]).content['application/json'].example;
    };
    const { requestBody } = document.paths['/bookings'].post;
    const { offerId, payments, passengers } = requestBody.content['application/json'].example;
    const [offer] = answered('post', '/flights/search').offers;
    expect([offer.id, offer.client_amount]).toEqual([offerId, payments[0].amount]);
    expect(cents(offer.client_amount)).toBe(
      cents(offer.base_cost_brl) + cents(offer.agency_markup_amount) + cents(offer.agency_fee_amount),
    );
    const { data: booking } = answered('post', '/bookings');
    expect([booking.offer_id, booking.total_amount]).toEqual([offer.id, offer.client_amount]);
    expect(booking.passengers).toEqual(passengers.map((one: Json) => ({ type: 'adult', ...one })));
    const { transactions, summary } = answered('get', '/wallet/transactions').data;
    expect(transactions[0]).toMatchObject({ reference_id: booking.id, amount: booking.total_amount });
    const { balance } = answered('get', '/wallet/balance').data;
    expect(cents(balance)).toBe(cents(summary.total_credits) - cents(summary.total_debits));
    const { data: cancelled } = answered('post', '/bookings/{id}/cancel');
    expect(cents(cancelled.refund_amount) + cents(cancelled.penalty_amount)).toBe(cents(offer.client_amount));
    expect(cancelled.penalty_amount).toBe(offer.conditions.refund_before_departure.penalty_amount);
    const { example: hook } = document.paths['/webhooks'].post.requestBody.content['application/json'];
    expect(answered('post', '/webhooks').data).toMatchObject(hook);
    for (const { success_rate: rate, ...counted } of answered('get', '/webhooks').data) {
      const { total_deliveries: total, failed_deliveries: failed } = counted;
      expect(rate).toBe(Number((((total - failed) / total) * 100).toFixed(1)));
    }
  });

  it('has a PIX code that a bank would take, of the amount that is asked for', async () => {
    const { paths } = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
    const { requestBody, responses } = paths['/wallet/recharge'].post;
    const { data } = responses[201].content['application/json'].example;
    const asked = requestBody.content['application/json'].example;
    expect(data).toMatchObject(asked);
    const pix = parsePix(data.payment.pix_copy_paste);
    if (hasError(pix) || !isStaticPix(pix)) throw new Error(`no BR Code: ${JSON.stringify(pix)}`);
    expect(pix.transactionAmount).toBe(Number(data.amount));
  });

  it('calls what is asked and answered by names, and says of each constant what type it has', async () => {
    const document = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
    const named = new Set(Object.keys(document.components.schemas));
    const referred = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    expect(new Set(referred.map(([, name]) => name))).toEqual(named);
    const nameless: string[] = [];
    const look = (value: Json, path: string) => {
      if (value === null || typeof value !== 'object') return;
      const isEnvelope = value.properties?.success?.const === true;
      if ((value.properties && !isEnvelope) || value.enum) nameless.push(path);
      for (const [key, member] of Object.entries(value))
        if (!/^examples?$/.test(key)) look(member, `${path}/${key}`);
    };
    look(document.paths, '');
    expect(nameless).toEqual([]);
    const untyped: Json[] = [];
    JSON.stringify(document, (_key, value) => {
      if (value?.const !== undefined && !value.type) untyped.push(value.const);
      return value;
    });
    expect(untyped).toEqual([]);
  });

  it('says of words that one may choose from what each of them stands for', async () => {
    const { schemas } = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()).components;
    const unexplained = Object.entries<Json>(schemas).flatMap(([name, { enum: words = [], description }]) =>
      words.filter((word: string) => !description?.includes(`- \`${word}\`: `)).map(() => name),
    );
    // Those of events have a section of their own, those of refusals stand with each one.
    expect([...new Set(unexplained)]).toEqual(['ErrorCode', 'EventType']);
  });

  it('lets amounts be asked for with fewer decimals than they are answered with', async () => {
    const { schemas } = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()).components;
    const isAmountOf = (name: string, member: string) => {
      const { pattern } = schemas[name].properties[member];
      return ['150', '150.5', '150.50', '12345678901.00', '-1.00'].filter((text) =>
        new RegExp(pattern).test(text),
      );
    };
    expect(isAmountOf('CreateRechargeRequest', 'amount')).toEqual(['150', '150.5', '150.50']);
    expect(isAmountOf('CreatedRecharge', 'amount')).toEqual(['150.50', '12345678901.00']);
    expect(isAmountOf('TransactionSummary', 'total_debits')).toEqual(['150.50', '12345678901.00']);
  });

  it('describes the answers that are given, what is null in them too', async () => {
    const text = await (await fetch(`${server.url}/api/v1/openapi.json`)).text();
    const document = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
    const $defs = document.components.schemas;
    const succeeded = new Set<string>();
    /** An answer, once it is known to fit what the document says of its path, method and status. */
    const described = async (method: string, path: string, declared: string, body?: Json) => {
      const answer = await server.rest(method, `/api/v1${path}`, { key: server.keys.test, body });
      const response = document.paths[declared][method.toLowerCase()].responses[answer.status];
      const schema = z.fromJSONSchema({ ...response.content['application/json'].schema, $defs });
      expect([path, answer.status, schema.safeParse(answer.body).error?.issues ?? []]).toEqual([
        path,
        answer.status,
        [],
      ]);
      if (answer.status < 300) succeeded.add(`${method} ${declared}`);
      return answer.body;
    };

    const departureDate = clock.isoIn(30 * dayMs).slice(0, 10);
    const offersTo = async (destination: string): Promise<Json[]> => {
      const found = await described('POST', '/flights/search', '/flights/search', {
        type: 'one_way',
        slices: [{ origin: 'GRU', destination, departureDate }],
        passengers: [{ type: 'adult', count: 1 }],
      });
      return found.offers;
    };
    const currencies = (await offersTo('LIS')).map(
      (offer) => offer.conditions.refund_before_departure.penalty_currency,
    );
    expect(currencies).toContain(null);
    expect(currencies.some((currency) => currency !== null)).toBe(true);

    await described('GET', '/wallet/balance', '/wallet/balance');
    for (const paymentMethod of paymentMethods) {
      const order = { amount: '100.00', currency: 'BRL', payment_method: paymentMethod };
      const { id } = (await described('POST', '/wallet/recharge', '/wallet/recharge', order)).data;
      await described('GET', `/wallet/recharge/${id}`, '/wallet/recharge/{id}');
      await described('POST', `/test_helpers/recharges/${id}/pay`, '/test_helpers/recharges/{id}/pay');
      await described('GET', `/wallet/recharge/${id}`, '/wallet/recharge/{id}');
      await described('POST', `/test_helpers/recharges/${id}/fail`, '/test_helpers/recharges/{id}/fail');
      for (const verb of ['expire', 'fail']) {
        const { id: other } = (await described('POST', '/wallet/recharge', '/wallet/recharge', order)).data;
        const helper = '/test_helpers/recharges';
        await described('POST', `${helper}/${other}/${verb}`, `${helper}/{id}/${verb}`);
      }
    }
    await described('GET', '/wallet/transactions', '/wallet/transactions');

    const offers = (await offersTo('GIG')).filter(
      ({ payment_requirements: terms }) => !terms.requires_instant_payment,
    );
    const bookingHelper = '/test_helpers/bookings';
    const { id: held } = (await described('POST', '/bookings', '/bookings', requestFor(offers[0], 'hold')))
      .data;
    await described('POST', `${bookingHelper}/${held}/expire`, `${bookingHelper}/{id}/expire`);
    for (const type of ['instant', 'hold'] as const) {
      const { id } = (await described('POST', '/bookings', '/bookings', requestFor(offers[0], type))).data;
      await described('GET', `/bookings/${id}`, '/bookings/{id}');
      for (const verb of ['confirm', 'cancel', 'cancel'])
        await described('POST', `/bookings/${id}/${verb}`, `/bookings/{id}/${verb}`);
      await described('POST', `${bookingHelper}/${id}/expire`, `${bookingHelper}/{id}/expire`);
    }
    await described('GET', '/bookings', '/bookings');

    const webhook = { url: 'https://localhost:1024/hooks', events: ['booking.created'] };
    const { id } = (await described('POST', '/webhooks', '/webhooks', webhook)).data;
    await described('POST', '/webhooks', '/webhooks', { ...webhook, url: 'http://localhost' });
    await described('PUT', `/webhooks/${id}`, '/webhooks/{id}', { active: false });
    await described('GET', '/webhooks', '/webhooks');
    await described('DELETE', `/webhooks/${id}`, '/webhooks/{id}');
    await described('DELETE', `/webhooks/${id}`, '/webhooks/{id}');

    // A new endpoint is asked here as well, so that some test has seen it succeed.
    const every = routes.map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    expect([...succeeded].sort()).toEqual(every.sort());
  });

  it('has a search that finds flights on whatever day it is read', async () => {
    const searchOf = async () => {
      const document = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
      return document.paths['/flights/search'].post.requestBody.content['application/json'].example;
    };
    const { departureDate: before } = (await searchOf()).slices[0];
    clock.advance(500 * dayMs);
    const search = await searchOf();
    expect(search.slices[0].departureDate > before).toBe(true);
    const answer = { key: server.keys.test, body: search };
    const { status, body } = await server.rest('POST', '/api/v1/flights/search', answer);
    expect([status, body.offers[0]?.total_currency]).toEqual([200, 'BRL']);
  });
});
