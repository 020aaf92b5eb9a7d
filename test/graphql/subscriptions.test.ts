import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expireRecharge,
  loseEvents,
  payRecharge,
  requestRecharge,
  storedEvents,
  storedWalletEvents,
  tenantOf,
  writeEvents,
} from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, doorsOf } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import type { Subscriber, Transport } from '../harness/subscribers.ts';
import { transports } from '../harness/subscribers.ts';
import { describeRefusedSubscriptions } from './refusedSubscriptions.ts';

const notice = {
  test_mode: true,
  message: 'Test mode: the balance is fictitious and no real charge or booking is made.',
};

describeEngines('walletEvents', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  /** A subscription that is under way: recharges are requested until it has told of one. */
  async function live(transport: Transport, key: string): Promise<Subscriber> {
    const subscriber = transport.subscribe(server.url, { key });
    await eventually(async () => {
      await requestRecharge(server, key);
      return subscriber.events.length > 0;
    });
    return subscriber;
  }

  const openSubscriptions = async () =>
    (await server.running.gateway.platform.metrics.subscribers.get()).values[0]?.value ?? 0;

  const hasNoSubscribers = async () => (await openSubscriptions()) === 0;

  /** What the table has from the first event on that the subscriber saw. */
  async function storedSince({ events }: Subscriber, teamId: string, mode: 'live' | 'test') {
    const stored = await storedWalletEvents(server, teamId, mode);
    return stored.slice(stored.findIndex(({ id }) => id === events[0].id));
  }

  describe.each(doorsOf(engine, transports))('over $name', (transport) => {
    it('tells every event of the team as it happens, once and in order', async () => {
      const team = await server.createTeam();
      const subscriber = await live(transport, team.test);
      for (let round = 0; round < 3; round += 1) {
        const paid = await requestRecharge(server, team.test);
        await payRecharge(server, team.test, paid);
        await expireRecharge(server, team.test, await requestRecharge(server, team.test));
      }
      const stored = await storedSince(subscriber, team.teamId, 'test');
      expect(await subscriber.sees(stored.length)).toEqual(stored);
      expect(stored.slice(-5).map(({ type }) => type)).toEqual([
        'wallet.recharge.pending',
        'wallet.credit',
        'wallet.recharge.completed',
        'wallet.recharge.pending',
        'wallet.recharge.expired',
      ]);
      subscriber.cut();
    });

    it('tells only the types that are asked for', async () => {
      const team = await server.createTeam();
      const beginning = await requestRecharge(server, team.test);
      await payRecharge(server, team.test, beginning);
      const [start] = await storedWalletEvents(server, team.teamId, 'test');
      const subscriber = transport.subscribe(server.url, {
        key: team.test,
        variables: { after: start?.id, types: ['wallet.credit', 'wallet.recharge.expired'] },
      });
      await expireRecharge(server, team.test, await requestRecharge(server, team.test));
      await payRecharge(server, team.test, await requestRecharge(server, team.test));
      const told = await subscriber.sees(3);
      expect(told.map(({ type }) => type)).toEqual([
        'wallet.credit',
        'wallet.recharge.expired',
        'wallet.credit',
      ]);
      subscriber.cut();
    });

    describeRefusedSubscriptions(() => server, transport);

    it('shows nobody the events of another team or mode', async () => {
      const [one, other] = [await server.createTeam(), await server.createTeam()];
      const parties = [
        { ...one, mode: 'live' as const, key: one.live },
        { ...one, mode: 'test' as const, key: one.test },
        { ...other, mode: 'live' as const, key: other.live },
        { ...other, mode: 'test' as const, key: other.test },
      ];
      const subscribers = await Promise.all(parties.map(({ key }) => live(transport, key)));
      for (let round = 0; round < 2; round += 1) {
        await Promise.all(parties.map(({ key }) => requestRecharge(server, key)));
      }
      for (const [index, { teamId, mode }] of parties.entries()) {
        const subscriber = subscribers[index]!;
        const stored = await storedSince(subscriber, teamId, mode);
        expect(await subscriber.sees(stored.length)).toEqual(stored);
      }
      for (const subscriber of subscribers) subscriber.cut();
    });

    it('carries _meta in extensions in test mode only', async () => {
      const team = await server.createTeam();
      const subscribers = await Promise.all([live(transport, team.test), live(transport, team.live)]);
      const [inTest, inLive] = subscribers.map(({ results }) => results[0]);
      expect(inTest.extensions).toEqual({ _meta: notice });
      expect(inLive).not.toHaveProperty('extensions');
      for (const subscriber of subscribers) subscriber.cut();
    });

    it('ends when its key is revoked, and only then', async () => {
      const team = await server.createTeam();
      const { id, secret } = await server.createKey({ kind: 'test', teamId: team.teamId });
      const [revoked, other] = await Promise.all([live(transport, secret), live(transport, team.test)]);
      const revokedAt = performance.now();
      await server.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`, null, server.keys.operator);
      expect(await revoked.ended(2_000)).toBe('complete');
      expect(performance.now() - revokedAt).toBeLessThan(1_500);
      const told = revoked.events.length;
      const before = other.events.length;
      await requestRecharge(server, team.test);
      await eventually(() => other.events.length > before);
      expect(revoked.events).toHaveLength(told);
      expect(other.end).toBeNull();
      other.cut();
    });

    it('starts with 3000 past events and goes on with live ones', async () => {
      const team = await server.createTeam();
      await requestRecharge(server, team.test);
      const [start] = await storedWalletEvents(server, team.teamId, 'test');
      await writeEvents(server, team.teamId, 'test', { count: 3_000 });
      const subscriber = transport.subscribe(server.url, { key: team.test, variables: { after: start?.id } });
      for (let count = 0; count < 5; count += 1) await requestRecharge(server, team.test);
      const stored = await storedWalletEvents(server, team.teamId, 'test');
      expect(stored).toHaveLength(3_006);
      expect(await subscriber.sees(3_005)).toEqual(stored.slice(1));
      subscriber.cut();
    });

    it.each([
      ['the last three', 1, 3],
      ['the last three', 5, 3],
      ['all', 1, null],
      ['all', 5, null],
    ])(
      'tells what happens after the database lost what it told, %s: %i events',
      async (_which, count, lost) => {
        const team = await server.createTeam();
        const subscriber = await live(transport, team.test);
        for (let told = 0; told < 3; told += 1) await requestRecharge(server, team.test);
        const before = await storedSince(subscriber, team.teamId, 'test');
        await subscriber.sees(before.length);
        const stored = (await storedEvents(server, team.teamId, 'test')).length;
        const linesBefore = server.logLines.length;
        await loseEvents(server, team.teamId, 'test', lost ?? stored);
        for (let told = 0; told < count; told += 1) await requestRecharge(server, team.test);
        const since = (await storedWalletEvents(server, team.teamId, 'test')).slice(-count);
        expect(await subscriber.sees(before.length + count)).toEqual([...before, ...since]);
        const lines = server.logLines.slice(linesBefore).join();
        expect(lines).toContain('events that were told are gone from the database');
        subscriber.cut();
      },
    );

    it('leaves no subscription behind when the connection goes', async () => {
      const team = await server.createTeam();
      await eventually(hasNoSubscribers);
      const subscriber = await live(transport, team.test);
      expect(await openSubscriptions()).toBe(1);
      subscriber.cut();
      await eventually(hasNoSubscribers);
    });

    it('does not tell what happened before, though those who came earlier have yet to be told of it', async () => {
      const team = await server.createTeam();
      const first = await live(transport, team.test);
      for (let round = 0; round < 3; round += 1) {
        const [past] = await writeEvents(server, team.teamId, 'test', { count: 1 });
        const later = await live(transport, team.test);
        expect(later.events.map(({ id }) => id)).not.toContain(past);
        later.cut();
      }
      const stored = await storedSince(first, team.teamId, 'test');
      expect(await first.sees(stored.length)).toEqual(stored);
      first.cut();
    });

    it('watches no team that nobody follows any more, and begins anew with it', async () => {
      const [left, followed] = [await server.createTeam(), await server.createTeam()];
      // Those of the tests before leave by and by.
      await eventually(hasNoSubscribers);
      await requestRecharge(server, left.test);
      const [start] = await storedWalletEvents(server, left.teamId, 'test');
      await writeEvents(server, left.teamId, 'test', { count: 2_000 });
      const variables = { after: start.id };
      const leaving = [1, 2, 3].map(() => transport.subscribe(server.url, { key: left.test, variables }));
      // They have more to read up.
      for (const subscriber of leaving) {
        await subscriber.sees(1);
        subscriber.cut();
      }
      await eventually(hasNoSubscribers);
      const other = await live(transport, followed.test);
      // Of several that were requested the last may not be told yet: what is lost untold nobody misses.
      await other.sees((await storedSince(other, followed.teamId, 'test')).length);
      for (const { teamId } of [left, followed]) await loseEvents(server, teamId, 'test', 1);
      const isSeenToBeLost = async ({ teamId }: { teamId: string }) => {
        const { walletId } = await tenantOf(server, teamId, 'test');
        return server.logLines
          .map((line) => JSON.parse(line))
          .some((line) => line.walletId === walletId && line.lost !== undefined);
      };
      await eventually(() => isSeenToBeLost(followed));
      const again = await live(transport, left.test);
      await requestRecharge(server, left.test);
      const stored = await storedSince(again, left.teamId, 'test');
      expect(await again.sees(stored.length)).toEqual(stored);
      expect(await isSeenToBeLost(left)).toBe(false);
      for (const subscriber of [other, again]) subscriber.cut();
    });
  });

  it('after lost connections, resuming shows every event once and in order', async () => {
    const cuts = fc.array(
      fc.record({ transport: fc.constantFrom(...transports), events: fc.integer({ min: 0, max: 5 }) }),
      { minLength: 1, maxLength: 5 },
    );
    const acts = fc.array(fc.constantFrom('pay', 'expire', 'leave'), { minLength: 4, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, acts, async (connections, activity) => {
        const team = await server.createTeam();
        await requestRecharge(server, team.test);
        const [start] = await storedWalletEvents(server, team.teamId, 'test');
        let over = false;
        const producing = (async () => {
          for (const act of activity) {
            const id = await requestRecharge(server, team.test);
            if (act === 'pay') await payRecharge(server, team.test, id);
            if (act === 'expire') await expireRecharge(server, team.test, id);
          }
          over = true;
        })();
        const seen = [start];
        for (const { transport, events } of connections) {
          const subscriber = transport.subscribe(server.url, {
            key: team.test,
            variables: { after: seen.at(-1)?.id },
          });
          await eventually(() => over || subscriber.events.length >= events);
          seen.push(...subscriber.events);
          subscriber.cut();
        }
        await producing;
        const stored = await storedWalletEvents(server, team.teamId, 'test');
        const last = transports[0]!.subscribe(server.url, {
          key: team.test,
          variables: { after: seen.at(-1)?.id },
        });
        seen.push(...(await last.sees(stored.length - seen.length)));
        last.cut();
        expect(seen).toEqual(stored);
      }),
      { numRuns: 6 },
    );
  });
});
