import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Refusal } from '../doors/door.ts';
import { badField, dataOf, expectRefusal, expectStatus } from '../doors/door.ts';
import { testCertificates } from '../harness/certificates.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
import type { Management } from './managementSteps.ts';
import { invalidEvents, invalidUrl, notReachable, pending, registered } from './managementSteps.ts';
import type { WebhookStage } from './webhookDoors.ts';

const tooMany: Refusal = {
  status: 422,
  code: 'VALIDATION_ERROR',
  message: 'Too many webhooks',
  details: { field: 'url', type: 'too_many', limit: 1000 },
};

/** How webhooks come to be, as part of their management. */
export function describeRegistering(
  stage: WebhookStage,
  { team, freshUrl, register, listed }: Management,
): void {
  const copy = (id: string, times: number) =>
    stage.world.server.query(
      `INSERT INTO webhooks (id, wallet_id, team_id, url, normalized_url, events, sealed_headers, sealed_secrets,
                             activated_at, created_at, updated_at)
       SELECT id || number, wallet_id, team_id, url || number, url || number, events, sealed_headers, sealed_secrets,
              activated_at, created_at, updated_at
         FROM webhooks, generate_series(1, $2::integer) AS number WHERE id = $1`,
      [id, times],
    );

  /** Asks for all webhooks at once: none is written before the receiver was asked for each. */
  async function createTogether(key: string, urls: string[]) {
    const waiting: (() => void)[] = [];
    stage.world.receiver.behave((request, socket) => {
      if (request.method === 'HEAD') waiting.push(() => answer(200)(request, socket));
      if (waiting.length === urls.length) for (const answerOne of waiting) answerOne();
    });
    try {
      return await Promise.all(urls.map((url) => stage.door.create(key, { url, events: pending })));
    } finally {
      stage.world.useBehaviours();
    }
  }

  describe('registering', () => {
    it('shows the secret, and only then', async () => {
      const { live } = await team();
      const url = freshUrl();
      const outcome = await stage.door.create(live, { url, events: pending });
      expectStatus(outcome, 201);
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
      await copy(id, 999);
      const outcome = await stage.door.create(live, { url: freshUrl(), events: pending });
      expectRefusal(outcome, tooMany);
      await stage.door.remove(live, id);
      await register(live);
    });

    it('ends with a thousand for those that are checked at once, too', async () => {
      const { live } = await team();
      const { id } = await register(live);
      await copy(id, 997);
      const outcomes = await createTogether(live, Array.from({ length: 5 }, freshUrl));
      const refused = outcomes.filter(({ ok }) => !ok);
      expect(refused).toHaveLength(3);
      for (const outcome of refused) expectRefusal(outcome, tooMany);
      expect((await listed(live)).pagination.total).toBe(1000);
    });

    it('tells one of two with one URL that it is registered, also when the other was the thousandth', async () => {
      const { live } = await team();
      const { id } = await register(live);
      await copy(id, 998);
      const url = freshUrl();
      const outcomes = await createTogether(live, [url, url]);
      expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
      expectRefusal(outcomes.find(({ ok }) => !ok)!, registered);
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
      ['null among others', ['wallet.credit', null], 'events.1'],
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

    it('refuses a URL whose receiver says over how large a number keys are agreed on', async () => {
      const { live } = await team();
      const certificate = (await testCertificates()).rsa;
      const over = (ciphers: string) =>
        startReceiver(answer(200), {
          certificate,
          agreement: { maxVersion: 'TLSv1.2', ciphers, dhparam: 'auto' },
        });
      const [number, curve] = [
        await over('DHE-RSA-AES128-GCM-SHA256'),
        await over('DHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256'),
      ];
      try {
        expectRefusal(await stage.door.create(live, { url: number.url(), events: pending }), notReachable);
        await register(live, curve.url());
      } finally {
        await Promise.all([number.close(), curve.close()]);
      }
    });

    it('refuses a URL that this team and mode has, in any spelling, and no other’s', async () => {
      const [{ live, test }, other] = [await team(), await team()];
      const url = freshUrl();
      const { id } = await register(live, url);
      const { host } = new URL(url);
      const inCapitals = url.replace('https:', 'HTTPS:').replace(host, host.toUpperCase());
      for (const again of [url, inCapitals, `${url}?`]) {
        expectRefusal(await stage.door.create(live, { url: again, events: ['wallet.debit'] }), registered);
        expectRefusal(await stage.otherDoor.create(live, { url: again, events: pending }), registered);
      }
      for (const key of [test, other.live]) await register(key, url);
      dataOf(await stage.door.remove(live, id));
      expect((await register(live, url)).id).not.toBe(id);
    });

    it('asks no receiver of a webhook that there is already, or no room for', async () => {
      const { live } = await team();
      const [url, another] = [freshUrl(), freshUrl()];
      const { id } = await register(live, url);
      const askedOf = (one: string) =>
        stage.world.receiver.requests.filter(({ path }) => path === new URL(one).pathname).length;
      const asked = askedOf(url);
      expectRefusal(await stage.door.create(live, { url, events: pending }), registered);
      await copy(id, 999);
      expectRefusal(await stage.door.create(live, { url: another, events: pending }), tooMany);
      expect([asked, askedOf(url), askedOf(another)]).toEqual([1, 1, 0]);
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
}
