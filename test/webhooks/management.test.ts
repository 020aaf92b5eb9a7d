import { describe, expect, it } from 'vitest';
import { badField, dataOf, expectRefusal, type Refusal } from '../doors/door.ts';
import { eventually, type Json } from '../harness/client.ts';
import { answer } from '../harness/receiver.ts';
import {
  invalidEvents,
  invalidUrl,
  managementOf,
  notFound,
  notReachable,
  pending,
  registered,
  unknownId,
} from './managementSteps.ts';
import { describeRegistering } from './registering.ts';
import { describeWebhookDoors } from './webhookDoors.ts';

describeWebhookDoors('management of webhooks', (stage) => {
  const management = managementOf(stage);
  const { team, freshUrl, register, listed, recharge } = management;

  describeRegistering(stage, management);

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

    it('shows how many attempts were made and failed up to the largest number that GraphQL has, and their rate to a tenth', async () => {
      const { live } = await team();
      const largest = 2 ** 31 - 1;
      const { id } = await register(live);
      const shown = async (made: number, failed: number) => {
        await stage.world.server.query(
          'UPDATE webhooks SET total_deliveries = $2, failed_deliveries = $3 WHERE id = $1',
          [id, made, failed],
        );
        const [webhook] = (await listed(live)).items;
        return [webhook.total_deliveries, webhook.failed_deliveries, webhook.success_rate];
      };
      expect(await shown(largest, 5)).toEqual([largest, 5, 100]);
      expect(await shown(4 * largest, largest + 1)).toEqual([largest, largest, 75]);
      expect(await shown(3, 2)).toEqual([3, 2, 33.3]);
      expect(await shown(3, 1)).toEqual([3, 1, 66.7]);
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

    it.each<[object, Refusal, ...[string, string][]]>([
      [{ events: [], active: null }, invalidEvents, ['events', 'required'], ['active', 'invalid']],
      [{ url: null, events: null }, invalidUrl, ['url', 'invalid'], ['events', 'invalid']],
      // Of another type than it must be, so that nothing else is asked of the webhook.
      [{ events: null, active: 1 }, invalidEvents, ['events', 'invalid'], ['active', 'invalid']],
      [
        { url: 'ftp://x', events: [], active: null },
        invalidUrl,
        ['url', 'invalid'],
        ['events', 'required'],
        ['active', 'invalid'],
      ],
    ])('names every fault of %j', async (changes, refusal, ...faults) => {
      const { live } = await team();
      const { id } = await register(live);
      const errors = faults.map(([field, type]) => ({ field, type }));
      expectRefusal(await stage.door.update(live, id, changes), {
        ...refusal,
        details: { ...errors[0], errors },
      });
    });

    it('refuses the URL of another webhook, whose receiver it does not ask, and takes its own again', async () => {
      const { live } = await team();
      const [one, other] = [await register(live), await register(live)];
      const { pathname } = new URL(other.url);
      const asked = () => stage.world.receiver.requests.filter(({ path }) => path === pathname).length;
      const before = asked();
      expectRefusal(await stage.door.update(live, one.id, { url: other.url }), registered);
      expect(asked()).toBe(before);
      expect(dataOf(await stage.door.update(live, one.id, { url: one.url })).url).toBe(one.url);
    });

    it('takes its own URL again without asking whether it can be reached', async () => {
      const { live } = await team();
      const { id, url } = await register(live);
      const { pathname } = new URL(url);
      const asked = () => stage.world.receiver.requests.filter(({ path }) => path === pathname).length;
      const before = asked();
      expect(dataOf(await stage.door.update(live, id, { url, active: true })).url).toBe(url);
      expect(asked()).toBe(before);
    });

    it('refuses a URL that another webhook was given while its receiver was asked', async () => {
      const { live } = await team();
      const [{ id, url }, wanted] = [await register(live), freshUrl()];
      let answerLate: (() => void) | undefined;
      stage.world.receiver.behave((request, socket) => {
        if (request.path === new URL(wanted).pathname && !answerLate)
          answerLate = () => answer(200)(request, socket);
        else answer(200)(request, socket);
      });
      try {
        const changing = stage.door.update(live, id, { url: wanted });
        const goOn = await eventually(() => answerLate);
        const other = await register(live, wanted);
        goOn();
        expectRefusal(await changing, registered);
        const { items } = await listed(live);
        const urls = Object.fromEntries(items.map((item: Json) => [item.id, item.url]));
        expect(urls).toEqual({ [id]: url, [other.id]: wanted });
      } finally {
        stage.world.useBehaviours();
      }
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
    ['with a NUL', async () => 'wh_\u0000'],
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
