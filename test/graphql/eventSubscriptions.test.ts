import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewaySchema } from '../../schema/index.ts';
import type { EventType } from '../../src/domain/events/catalogue.ts';
import { eventTypes } from '../../src/domain/events/catalogue.ts';
import type { Scope } from '../../src/domain/teams/scope.ts';
import { walletsOf, writeBooking } from '../bookings/writtenBookings.ts';
import {
  expireRecharge,
  payRecharge,
  recordExample,
  requestRecharge,
  storedEvents,
  tenantOf,
} from '../harness/activity.ts';
import { describeEngines, doorsOf } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { allEvents, firstRefusal, subjectEvents, transports } from '../harness/subscribers.ts';

const booking = 'ord_01jd4yr7rae5j8v2r0h3m6x9qc';
const unknown = { recharge: 'rch_01jd4ymq2ve5j8v2r0h3m6x9qb', booking: 'ord_01jd4ymq2ve5j8v2r0h3m6x9qb' };

it('Subscriptions are those that tests keep teams apart in: a new one needs its own', () => {
  const fields = gatewaySchema().getSubscriptionType()?.getFields() ?? {};
  expect(Object.keys(fields).sort()).toEqual(['bookingUpdated', 'events', 'rechargeUpdated', 'walletEvents']);
});

describeEngines('Subscriptions to events', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server?.close());

  /** A team whose sandbox has seen one event of every kind of noun, and the first of them. */
  async function eventfulTeam() {
    const team = await server.createTeam();
    const tenant = await tenantOf(server, team.teamId, 'test');
    const start = (await storedEvents(server, team.teamId, 'test'))[0]!.id as string;
    const record = (type: EventType, subjectId = booking) => recordExample(server, tenant, type, subjectId);
    const stored = async () => (await storedEvents(server, team.teamId, 'test')).slice(1);
    return { ...team, start, record, stored };
  }

  /** @returns the id of a booking of the team's sandbox. */
  async function bookFor(teamId: string): Promise<string> {
    const { test: walletId } = await walletsOf(server, teamId);
    return (await writeBooking(server, walletId, { amountCents: 100_00 }))!.id;
  }

  const keyWith = async (teamId: string, ...scopes: Scope[]) =>
    (await server.createKey({ kind: 'test', teamId, scopes })).secret;

  it('latestEventId is known from the first key on, and closed to keys that may read no events', async () => {
    const ask = async (key: string) => (await server.graphql('{ latestEventId }', null, key)).body;
    const { teamId } = await server.createTeam();
    const reader = await keyWith(teamId, 'bookings:read');
    const latest = (await storedEvents(server, teamId, 'test')).at(-1)!;
    expect(latest.type).toBe('api_key.created');
    expect((await ask(reader)).data).toEqual({ latestEventId: latest.id });
    expect((await ask(server.keys.live)).data.latestEventId).toMatch(/^evt_/);
    const { errors } = await ask(await keyWith(teamId, 'wallet:write', 'bookings:write', 'flights:search'));
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  describe.each(doorsOf(engine, transports))('over $name', (transport) => {
    const events = (key: string, variables: Record<string, unknown> = {}) =>
      transport.subscribe(server.url, { key, query: allEvents, variables });

    it('events tells of everything, once and in order, as it happens and after it', async () => {
      const { test: key, start, record, stored } = await eventfulTeam();
      const early = events(key, { after: start });
      await record('booking.created');
      await payRecharge(server, key, await requestRecharge(server, key));
      for (const type of eventTypes) await record(type);
      const all = await stored();
      expect(all).toHaveLength(4 + eventTypes.length);
      expect(await early.sees(all.length)).toEqual(all);
      const late = events(key, { after: all[2].id });
      expect(await late.sees(all.length - 3)).toEqual(all.slice(3));
      early.cut();
      late.cut();
    });

    it('events begins at the latest that there was, for who has seen none of its types yet', async () => {
      const { test: key, record, stored } = await eventfulTeam();
      await record('wallet.low_balance');
      await record('booking.created');
      const { body } = await server.graphql('{ latestEventId }', null, key);
      await record('wallet.credit');
      await record('wallet.low_balance');
      const subscriber = events(key, { types: ['wallet.low_balance'], after: body.data.latestEventId });
      await record('wallet.low_balance');
      expect(await subscriber.sees(2)).toEqual((await stored()).slice(-2));
      subscriber.cut();
    });

    it('events tells a key only of what it may read', async () => {
      const { teamId, start, record, stored } = await eventfulTeam();
      const parties: [Scope[], (type: string) => boolean][] = [
        [['wallet:read'], (type) => type.startsWith('wallet.')],
        [['bookings:read', 'wallet:write'], (type) => type.startsWith('booking.')],
        [['webhooks:read'], (type) => !/^(wallet|booking)\./.test(type)],
        [['wallet:read', 'bookings:read'], (type) => /^(wallet|booking)\./.test(type)],
      ];
      const subscribers = [];
      for (const [scopes, sees] of parties) {
        const key = await keyWith(teamId, ...scopes);
        subscribers.push({ subscriber: events(key, { after: start }), sees });
      }
      for (const type of eventTypes) await record(type);
      // The last event of each kind comes twice, so that what must not be seen would have been seen by then.
      for (const type of ['wallet.credit', 'booking.updated', 'api_key.revoked'] as const) await record(type);
      const all = await stored();
      for (const { subscriber, sees } of subscribers) {
        const visible = all.filter(({ type }) => sees(type));
        expect(visible.length).toBeGreaterThan(2);
        expect(await subscriber.sees(visible.length)).toEqual(visible);
        subscriber.cut();
      }
    });

    it('events tells only the types that are asked for', async () => {
      const { test: key, start, record, stored } = await eventfulTeam();
      const subscriber = events(key, { after: start, types: ['booking.ticketed', 'api_key.created'] });
      for (const type of [
        'booking.created',
        'booking.ticketed',
        'wallet.debit',
        'api_key.created',
      ] as const) {
        await record(type);
      }
      const all = await stored();
      expect(await subscriber.sees(2)).toEqual([all[1], all[3]]);
      subscriber.cut();
    });

    it('events is closed to types that the key may not read, and to keys that may read none', async () => {
      const { teamId } = await server.createTeam();
      const reader = await keyWith(teamId, 'wallet:read');
      const refusals = [
        events(reader, { types: ['wallet.credit', 'booking.created'] }),
        events(await keyWith(teamId, 'wallet:write', 'bookings:write', 'flights:search')),
        events(server.keys.operator),
      ];
      for (const subscriber of refusals) {
        expect(await firstRefusal(subscriber)).toEqual({ message: 'Forbidden', code: 'FORBIDDEN' });
      }
    });

    it.each([
      ['no type at all', { types: [] }, 'types'],
      ['a type that does not exist', { types: ['wallet.emptied'] }, 'types.0'],
    ])('events refuses %s', async (_what, variables, field) => {
      const { test: key } = await server.createTeam();
      expect(await firstRefusal(events(key, variables))).toEqual({
        message: 'Invalid events',
        code: 'VALIDATION_ERROR',
        field,
      });
    });

    it('rechargeUpdated tells of one recharge, and resumes', async () => {
      const { test: key, start, record, stored } = await eventfulTeam();
      const [mine, other] = [await requestRecharge(server, key), await requestRecharge(server, key)];
      const follow = (after: string | null) =>
        transport.subscribe(server.url, {
          key,
          query: subjectEvents('rechargeUpdated'),
          variables: { id: mine, after },
        });
      const subscriber = follow(start);
      await expireRecharge(server, key, other);
      await record('booking.updated', mine);
      await payRecharge(server, key, mine);
      const ofMine = (await stored()).filter(
        ({ type, data }) => type.startsWith('wallet.recharge.') && data.object.id === mine,
      );
      expect(ofMine.map(({ type }) => type)).toEqual([
        'wallet.recharge.pending',
        'wallet.recharge.completed',
      ]);
      expect(await subscriber.sees(2)).toEqual(ofMine);
      expect(await follow(ofMine[0].id).sees(1)).toEqual([ofMine[1]]);
    });

    it('bookingUpdated tells of one booking as it happens, and resumes', async () => {
      const { teamId, record, stored } = await eventfulTeam();
      const key = await keyWith(teamId, 'bookings:read');
      const [mine, other] = [await bookFor(teamId), await bookFor(teamId)];
      const { id: latest } = (await stored()).at(-1)!;
      const follow = (after: string | null) =>
        transport.subscribe(server.url, {
          key,
          query: subjectEvents('bookingUpdated'),
          variables: { id: mine, after },
        });
      const subscriber = follow(latest);
      await record('booking.ticketed', other);
      await record('booking.confirmed', mine);
      await record('booking.ticketed', mine);
      const all = (await stored()).slice(-2);
      expect(all.map(({ type }) => type)).toEqual(['booking.confirmed', 'booking.ticketed']);
      expect(await subscriber.sees(2)).toEqual(all);
      expect(await follow(all[0].id).sees(1)).toEqual(all.slice(1));
    });

    it.each([
      ['rechargeUpdated', 'Recharge not found', unknown.recharge],
      ['rechargeUpdated', 'Recharge not found', 'nonsense'],
      ['bookingUpdated', 'Booking not found', unknown.booking],
      ['bookingUpdated', 'Booking not found', `ord_\u0000${booking.slice(5)}`],
    ] as const)('%s answers "%s" for %j', async (field, message, id) => {
      const { test: key } = await server.createTeam();
      const subscriber = transport.subscribe(server.url, {
        key,
        query: subjectEvents(field),
        variables: { id },
      });
      expect(await firstRefusal(subscriber)).toEqual({ message, code: 'NOT_FOUND' });
    });

    it('what belongs to another team or mode is not found', async () => {
      const [team, other] = [await server.createTeam(), await server.createTeam()];
      const recharge = await requestRecharge(server, team.test);
      const booking = await bookFor(team.teamId);
      for (const key of [team.live, other.test]) {
        for (const [field, id] of [
          ['rechargeUpdated', recharge],
          ['bookingUpdated', booking],
        ] as const) {
          const query = subjectEvents(field);
          const subscriber = transport.subscribe(server.url, { key, query, variables: { id } });
          expect(await firstRefusal(subscriber)).toMatchObject({ code: 'NOT_FOUND' });
        }
      }
    });

    it('each is closed to keys without its scope', async () => {
      const { teamId, test: key } = await server.createTeam();
      const recharge = await requestRecharge(server, key);
      for (const [field, id, scopes] of [
        ['rechargeUpdated', recharge, ['bookings:read', 'webhooks:read', 'wallet:write']],
        ['bookingUpdated', booking, ['wallet:read', 'webhooks:read', 'bookings:write']],
      ] as const) {
        const subscriber = transport.subscribe(server.url, {
          key: await keyWith(teamId, ...scopes),
          query: subjectEvents(field),
          variables: { id },
        });
        expect(await firstRefusal(subscriber)).toEqual({ message: 'Forbidden', code: 'FORBIDDEN' });
      }
    });
  });
});
