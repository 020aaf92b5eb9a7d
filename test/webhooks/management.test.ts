import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkReachable } from '../../src/domain/webhooks/webhookUrl.ts';
import type { Refusal } from '../doors/door.ts';
import { badField, dataOf, expectRefusal } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { describeWebhookDoors } from './webhookDoors.ts';

const pending = ['wallet.recharge.pending'];
const unknownId = 'wh_01jd4yhz1je5j8v2r0h3m6x9qj';
const notFound: Refusal = { status: 404, code: 'NOT_FOUND', message: 'Webhook not found' };
const registered: Refusal = { status: 409, code: 'VALIDATION_ERROR', message: 'URL already registered' };
const notReachable: Refusal = { status: 422, code: 'VALIDATION_ERROR', message: 'URL not reachable' };
const invalidUrl: Refusal = { status: 400, code: 'VALIDATION_ERROR', message: 'Invalid URL' };
const invalidEvents: Refusal = { status: 400, code: 'VALIDATION_ERROR', message: 'Invalid events' };

describeWebhookDoors('management of webhooks', (stage) => {
  const team = () => stage.world.server.createTeam();
  let paths = 0;
  /** A URL of the receiver that no other test has. */
  const freshUrl = () => {
    paths += 1;
    return stage.world.receiver.url(`/${stage.door.name}-${paths}`);
  };
  const register = async (key: string, url = freshUrl(), events: string[] = pending) =>
    dataOf(await stage.door.create(key, { url, events }));
  const listed = async (key: string) => dataOf(await stage.door.list(key));
  const recharge = (key: string) =>
    stage.world.server.rest('POST', '/api/v1/wallet/recharge', {
      key,
      body: { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
    });

  describe('registering', () => {
    it('shows the secret, and only then', async () => {
      const { live } = await team();
      const url = freshUrl();
      const outcome = await stage.door.create(live, { url, events: pending });
      if (stage.door.name === 'REST') expect(outcome.status).toBe(201);
      const { id, secret, ...created } = dataOf(outcome);
      expect(id).toMatch(/^wh_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(created).toEqual({ url, events: pending, active: true });
      expect(await listed(live)).toEqual({
        items: [
          {
            id,
            url,
            events: pending,
            active: true,
            created_at: stage.clock.now().toISOString(),
            last_triggered_at: null,
            success_rate: 100,
            total_deliveries: 0,
            failed_deliveries: 0,
          },
        ],
        pagination: { page: 1, limit: 20, total: 1, pages: 1 },
      });
      const changed = await stage.door.update(live, id, { active: true });
      for (const { text } of [changed, await stage.door.list(live), await stage.otherDoor.list(live)]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain('secret');
      }
    });

    it('ends with a thousand, those that were deleted aside', async () => {
      const { live } = await team();
      const { id } = await register(live);
      await stage.world.server.query(
        `INSERT INTO webhooks (id, wallet_id, team_id, url, normalized_url, events, sealed_headers, sealed_secrets,
                               activated_at, created_at, updated_at)
         SELECT id || number, wallet_id, team_id, url || number, url || number, events, sealed_headers, sealed_secrets,
                activated_at, created_at, updated_at
           FROM webhooks, generate_series(1, 999) AS number WHERE id = $1`,
        [id],
      );
      const tooMany: Refusal = { status: 422, code: 'VALIDATION_ERROR', message: 'Too many webhooks' };
      const outcome = await stage.door.create(live, { url: freshUrl(), events: pending });
      expectRefusal(outcome, { ...tooMany, details: { field: 'url', type: 'too_many', limit: 1000 } });
      await stage.door.remove(live, id);
      await register(live);
    });

    it('subscribes to each type once', async () => {
      const { live } = await team();
      const events = ['wallet.credit', 'wallet.debit', 'wallet.credit'];
      expect((await register(live, freshUrl(), events)).events).toEqual(['wallet.credit', 'wallet.debit']);
    });

    it.each([
      'http://localhost:9999/',
      'nonsense',
      '',
      'ftp://localhost/',
      'https://user:password@localhost:9999/',
      'https://localhost:80/',
      'https://',
      '//localhost:9999/',
    ])('refuses the URL %j', async (url) => {
      expectRefusal(await stage.door.create((await team()).live, { url, events: pending }), {
        ...invalidUrl,
        details: { field: 'url' },
      });
    });

    it.each([
      ['none', [], 'events'],
      ['unknown ones', ['wallet.credit', 'wallet.unknown'], 'events.1'],
      ['in capitals', ['WALLET.CREDIT'], 'events.0'],
      ['by prefix', ['wallet.*'], 'events.0'],
    ])('refuses events that are %s', async (_what, events, field) => {
      expectRefusal(await stage.door.create((await team()).live, { url: freshUrl(), events }), {
        ...invalidEvents,
        details: { field },
      });
    });

    it('refuses a request without URL or events', async () => {
      const { live } = await team();
      expectRefusal(await stage.door.create(live, { events: pending }), badField('url', 'required'));
      expectRefusal(await stage.door.create(live, { url: freshUrl() }), badField('events', 'required'));
    });

    it('refuses a URL where nothing answers', async () => {
      const outcome = await stage.door.create((await team()).live, {
        url: 'https://localhost:1024/',
        events: pending,
      });
      expectRefusal(outcome, notReachable);
    });

    it('refuses a URL that this team and mode has, in any spelling, and no other’s', async () => {
      const [{ live, test }, other] = [await team(), await team()];
      const url = freshUrl();
      const { id } = await register(live, url);
      const { host } = new URL(url);
      for (const again of [url, url.replace('https:', 'HTTPS:').replace(host, host.toUpperCase())]) {
        expectRefusal(await stage.door.create(live, { url: again, events: ['wallet.debit'] }), registered);
        expectRefusal(await stage.otherDoor.create(live, { url: again, events: pending }), registered);
      }
      for (const key of [test, other.live]) await register(key, url);
      dataOf(await stage.door.remove(live, id));
      expect((await register(live, url)).id).not.toBe(id);
    });

    it('takes one of several requests for a URL that come at once', async () => {
      const { live } = await team();
      const request = { url: freshUrl(), events: pending };
      const outcomes = await Promise.all(
        [stage.door, stage.otherDoor, stage.door].map((door) => door.create(live, request)),
      );
      const refused = outcomes.filter(({ ok }) => !ok);
      expect(refused).toHaveLength(2);
      for (const outcome of refused) expectRefusal(outcome, registered);
      expect((await listed(live)).pagination.total).toBe(1);
    });

    it('answers an Idempotency-Key with the same webhook and secret, at either door', async () => {
      const { live } = await team();
      const request = { url: freshUrl(), events: pending };
      const options = { idempotencyKey: randomUUID() };
      const first = await stage.door.create(live, request, options);
      const again = await stage.door.create(live, request, options);
      const elsewhere = await stage.otherDoor.create(live, request, options);
      expect([first.replayed, again.replayed, elsewhere.replayed]).toEqual([false, true, true]);
      expect(again.text).toBe(first.text);
      expect(dataOf(elsewhere)).toEqual(dataOf(first));
      const [kept] = await stage.world.server.query<{ outcome: string }>(
        'SELECT outcome FROM idempotency_keys WHERE key = $1',
        [options.idempotencyKey],
      );
      expect(kept?.outcome).not.toContain('whsec_');
    });
  });

  describe('listing', () => {
    it('shows the newest first, in pages, of one team and mode', async () => {
      const [{ live, test }, other] = [await team(), await team()];
      const ids = [];
      for (let count = 0; count < 3; count += 1) {
        stage.clock.advance(1_000);
        ids.unshift((await register(live)).id);
      }
      await register(test);
      await register(other.live);
      const page = async (number: number) => dataOf(await stage.door.list(live, { page: number, limit: 2 }));
      const idsOf = async (number: number) => (await page(number)).items.map(({ id }: { id: string }) => id);
      expect(await idsOf(1)).toEqual(ids.slice(0, 2));
      expect(await idsOf(2)).toEqual(ids.slice(2));
      expect(await page(3)).toEqual({ items: [], pagination: { page: 3, limit: 2, total: 3, pages: 2 } });
    });

    it.each([
      ['page', 0],
      ['limit', 0],
      ['limit', 101],
    ])('refuses %s %d', async (field, value) => {
      expectRefusal(
        await stage.door.list((await team()).live, { [field]: value }),
        badField(field, 'invalid'),
      );
    });
  });

  describe('changing', () => {
    it.each([
      ['url', () => ({ url: freshUrl() })],
      ['events', () => ({ events: ['booking.created', 'wallet.debit'] })],
      ['active', () => ({ active: false })],
      ['nothing', () => ({})],
    ])('changes %s and leaves the rest', async (_what, changesOf) => {
      const { live } = await team();
      const { secret: _secret, ...before } = await register(live);
      stage.clock.advance(1_000);
      const changes = changesOf();
      const changed = dataOf(await stage.door.update(live, before.id, changes));
      expect(changed).toEqual({ ...before, ...changes, updated_at: stage.clock.now().toISOString() });
      const [item] = (await listed(live)).items;
      expect(item).toMatchObject({ ...before, ...changes });
    });

    it('takes its own URL in another spelling', async () => {
      const { live } = await team();
      const { id, url } = await register(live);
      const respelt = `${url.replace('localhost', 'LOCALHOST')}#part`;
      expect(dataOf(await stage.door.update(live, id, { url: respelt })).url).toBe(respelt);
      expectRefusal(await stage.door.create(live, { url, events: pending }), registered);
    });

    it('takes effect with the next event', async () => {
      const { live } = await team();
      const { id, url } = await register(live);
      const moved = freshUrl();
      dataOf(await stage.door.update(live, id, { url: moved }));
      await recharge(live);
      await eventually(() => stage.world.received(new URL(moved).pathname).length === 1);
      expect(stage.world.received(new URL(url).pathname)).toHaveLength(0);
    });

    it.each([
      ['url', 'http://localhost:9999/', invalidUrl],
      ['url', 'https://localhost:1024/', notReachable],
      ['events', [], invalidEvents],
      ['events', ['wallet.unknown'], invalidEvents],
      ['url', null, invalidUrl],
      ['events', null, invalidEvents],
      ['active', null, badField('active', 'invalid')],
      ['active', 'yes', badField('active', 'invalid')],
    ])('refuses %s %j, and changes nothing', async (field, value, refusal) => {
      const { live } = await team();
      const { id } = await register(live);
      const before = await listed(live);
      expectRefusal(await stage.door.update(live, id, { [field]: value }), refusal);
      expect(await listed(live)).toEqual(before);
    });

    it('refuses the URL of another webhook, and takes its own again', async () => {
      const { live } = await team();
      const [one, other] = [await register(live), await register(live)];
      expectRefusal(await stage.door.update(live, one.id, { url: other.url }), registered);
      expect(dataOf(await stage.door.update(live, one.id, { url: one.url })).url).toBe(one.url);
    });
  });

  describe('removing', () => {
    it('ends it: it is listed no more, found no more and called no more', async () => {
      const { live } = await team();
      const [removed, kept] = [await register(live), await register(live)];
      expect(dataOf(await stage.door.remove(live, removed.id))).toEqual({ id: removed.id, deleted: true });
      expectRefusal(await stage.door.remove(live, removed.id), notFound);
      expectRefusal(await stage.door.update(live, removed.id, { active: true }), notFound);
      const { items, pagination } = await listed(live);
      expect(items.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
      expect(pagination.total).toBe(1);
      await recharge(live);
      await eventually(() => stage.world.received(new URL(kept.url).pathname).length === 1);
      expect(stage.world.received(new URL(removed.url).pathname)).toHaveLength(0);
      expect(await stage.world.deliveries(removed.id)).toEqual([]);
    });
  });

  it.each([
    ['of nobody', async () => unknownId],
    ['that is none', async () => 'nonsense'],
    ['of another team', async () => (await register((await team()).live)).id],
  ])('answers 404 for an id %s', async (_what, idOf) => {
    const [{ live }, id] = [await team(), await idOf()];
    expectRefusal(await stage.door.update(live, id, { active: false }), notFound);
    expectRefusal(await stage.door.remove(live, id), notFound);
  });

  it('answers 404 for a webhook of the other mode, and leaves it', async () => {
    const { live, test } = await team();
    const { id } = await register(live);
    expectRefusal(await stage.door.update(test, id, { active: false }), notFound);
    expectRefusal(await stage.door.remove(test, id), notFound);
    expect((await listed(live)).items).toEqual([expect.objectContaining({ id, active: true })]);
  });

  it('carries the notice of test mode', async () => {
    const { live, test } = await team();
    expect((await stage.door.list(live)).meta).toBeUndefined();
    const outcomes = [
      await stage.door.list(test),
      await stage.door.create(test, { url: freshUrl(), events: pending }),
      await stage.door.remove(test, unknownId),
    ];
    for (const { meta } of outcomes) expect(meta).toMatchObject({ test_mode: true });
  });
});

it.each([
  ['refused where receivers are asked and this one does not answer', [true, false], 'timeout', true],
  [
    'refused where nobody is asked, and its name stands for a private address',
    [false, false],
    'blocked_address',
    true,
  ],
  ['accepted where nobody is asked, though it would not answer', [false, false], 'timeout', false],
  [
    'accepted where nobody is asked and private addresses may be called',
    [false, true],
    'blocked_address',
    false,
  ],
] as const)('a URL is %s', async (_what, [isAsked, mayBePrivate], reason, isRefused) => {
  const settings = { WEBHOOK_REACHABILITY_CHECK: isAsked, WEBHOOK_ALLOW_PRIVATE_HOSTS: mayBePrivate };
  const webhookSender = { reachable: async () => ({ reachable: false, reason }) };
  const surroundings = { settings, webhookSender } as unknown as Parameters<typeof checkReachable>[1];
  const checked = checkReachable('https://receiver.test/', surroundings);
  if (isRefused) await expect(checked).rejects.toThrow('URL not reachable');
  else await expect(checked).resolves.toBeUndefined();
});
