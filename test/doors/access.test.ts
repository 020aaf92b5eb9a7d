import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { scopes } from '../../src/domain/teams/scope.ts';
import { eventually } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { Door, Outcome, Stage } from './door.ts';
import {
  dataOf,
  describeDoors,
  expectRefusal,
  forbidden,
  pixOf,
  rechargeNotFound,
  unauthorized,
} from './door.ts';

const notice = { test_mode: true, message: expect.stringMatching(/fictitious/) };

interface Operation {
  scope: (typeof scopes)[number];
  call(door: Door, key: string | null, rechargeId: string): Promise<Outcome>;
}

const operations: Record<string, Operation> = {
  balance: { scope: 'wallet:read', call: (door, key) => door.balance(key) },
  transactions: { scope: 'wallet:read', call: (door, key) => door.transactions(key) },
  createRecharge: { scope: 'wallet:write', call: (door, key) => door.createRecharge(key, pixOf('100.00')) },
  getRecharge: { scope: 'wallet:read', call: (door, key, id) => door.getRecharge(key, id) },
  payTest: { scope: 'wallet:write', call: (door, key, id) => door.payTest(key, id) },
  expireTest: { scope: 'wallet:write', call: (door, key, id) => door.expireTest(key, id) },
  failTest: { scope: 'wallet:write', call: (door, key, id) => door.failTest(key, id) },
};

/** Requests with fields that are not of their types. */
const badRequests: Record<string, Operation> = {
  transactions: { scope: 'wallet:read', call: (door, key) => door.transactions(key, { limit: 'all' }) },
  createRecharge: { scope: 'wallet:write', call: (door, key) => door.createRecharge(key, {}) },
  createBooking: { scope: 'bookings:write', call: (door, key) => door.createBooking(key, { type: 1 }) },
  bookings: { scope: 'bookings:read', call: (door, key) => door.bookings(key, { status: 'lost' }) },
};

/** A new team with a pending recharge in its sandbox. */
async function aTestRecharge({ door, server }: Stage) {
  const team = await server.createTeam();
  const { id } = dataOf(await door.createRecharge(team.test, pixOf('100.00')));
  return { ...team, id };
}

describeDoors(
  'access',
  (stage) => {
    describe.each(Object.entries(operations))('to %s', (_name, { scope, call }) => {
      it('needs a key: 401 without one', async () => {
        const outcome = await call(stage.door, null, 'rch_01jd3v5w7kehxa1m4b9qk0t2zc');
        expectRefusal(outcome, unauthorized);
        expect(outcome.headers.get('www-authenticate')).toBe('Bearer');
        expect(outcome.meta).toBeUndefined();
      });

      it(`needs ${scope}: 403 for a key with every other scope`, async () => {
        const { id, teamId } = await aTestRecharge(stage);
        const others = scopes.filter((one) => one !== scope);
        const { secret } = await stage.server.createKey({ kind: 'test', teamId, scopes: others });
        const outcome = await call(stage.door, secret, id);
        expectRefusal(outcome, forbidden);
        expect(outcome.meta).toEqual(notice);
      });

      it(`needs nothing but ${scope}`, async () => {
        const { id, teamId } = await aTestRecharge(stage);
        const { secret } = await stage.server.createKey({ kind: 'test', teamId, scopes: [scope] });
        dataOf(await call(stage.door, secret, id));
      });

      it('is closed to operators: 403', async () => {
        const outcome = await call(stage.door, stage.server.keys.operator, 'rch_01jd3v5w7kehxa1m4b9qk0t2zc');
        expectRefusal(outcome, forbidden);
      });

      it('shows the notice of test mode to a test key', async () => {
        const { id, test } = await aTestRecharge(stage);
        const outcome = await call(stage.door, test, id);
        expect([outcome.ok, outcome.meta]).toEqual([true, notice]);
      });
    });

    it.each(Object.entries(badRequests))(
      'to %s needs its scope before anything that is asked of it is looked at',
      async (_name, { scope, call }) => {
        const { teamId } = await stage.server.createTeam();
        const others = scopes.filter((one) => one !== scope);
        const outcomeOf = async (of: readonly string[]) => {
          const { secret } = await stage.server.createKey({ kind: 'test', teamId, scopes: of });
          return call(stage.door, secret, '');
        };
        const closed = await outcomeOf(others);
        expectRefusal(closed, forbidden);
        expect(closed.meta).toEqual(notice);
        expect(await outcomeOf([scope])).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
      },
    );

    describe('is refused with 401', () => {
      it.each([
        ['of another scheme', 'Basic c2tfbGl2ZTo='],
        ['without a scheme', 'sk_live_abcdefghijklmnop'],
        ['of a bearer without key', 'Bearer'],
        ['of a bearer with spaces only', 'Bearer    '],
        ['with an unknown live key', 'Bearer sk_live_abcdefghijklmnopqrstuvwxyz'],
        ['with an unknown test key', 'Bearer sk_test_abcdefghijklmnopqrstuvwxyz'],
        ['with words for a key', 'Bearer undefined'],
        ['with two keys', 'Bearer sk_live_abcdefghijkl sk_live_abcdefghijkl'],
        ['with SQL for a key', "Bearer ' OR '1'='1"],
        ['with a key of 8000 characters', `Bearer sk_live_${'a'.repeat(8000)}`],
      ])('for an Authorization %s', async (_kind, authorization) => {
        const outcome = await stage.door.balance(null, { headers: { authorization } });
        expectRefusal(outcome, unauthorized);
        expect(outcome.text).not.toContain('sk_live');
      });

      it('for a true key with a character more, less or other, or with something behind it', async () => {
        const { live } = await stage.server.createTeam();
        const changed = live.slice(0, -1) + (live.endsWith('A') ? 'B' : 'A');
        const others = [
          `${live}x`,
          live.slice(0, -1),
          changed,
          live.toUpperCase(),
          `${live} x`,
          `${live} ${live}`,
        ];
        for (const key of others) {
          expectRefusal(await stage.door.balance(key), unauthorized);
        }
        dataOf(await stage.door.balance(live));
      });

      it('for a key within a second of its revocation', async () => {
        const { teamId } = await stage.server.createTeam();
        const { id, secret } = await stage.server.createKey({ kind: 'live', teamId });
        dataOf(await stage.door.balance(secret));
        const revoke = 'mutation ($id: String!) { revokeApiKey(id: $id) { id } }';
        await stage.server.graphql(revoke, { id }, stage.server.keys.operator);
        const refused = () => stage.door.balance(secret).then(({ ok }) => !ok);
        await eventually(refused, 1_000);
        expectRefusal(await stage.door.balance(secret), unauthorized);
        expectRefusal(await stage.otherDoor.balance(secret), unauthorized);
      });
    });

    it('takes the bearer scheme in any case', async () => {
      const { live } = await stage.server.createTeam();
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        dataOf(await stage.door.balance(null, { headers: { authorization: `${scheme} ${live}` } }));
      }
    });

    it('with a test key shows the sandbox only, with a live key real things only', async () => {
      const { live, test } = await stage.server.createTeam();
      const ofLive = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      const ofTest = dataOf(await stage.door.createRecharge(test, pixOf('200.00')));
      expectRefusal(await stage.door.getRecharge(test, ofLive.id), rechargeNotFound);
      expectRefusal(await stage.door.getRecharge(live, ofTest.id), rechargeNotFound);
      dataOf(await stage.door.payTest(test, ofTest.id));
      expect(dataOf(await stage.door.transactions(live)).pagination.total).toBe(0);
      expect(dataOf(await stage.door.transactions(test)).pagination.total).toBe(1);
      expect(dataOf(await stage.door.balance(live)).balance).toBe('0.00');
      expect(dataOf(await stage.door.balance(test)).balance).toBe('5000.00');
    });

    it('never shows the notice of test mode to a live key', async () => {
      const { live } = await stage.server.createTeam();
      const created = await stage.door.createRecharge(live, pixOf('100.00'));
      const outcomes = [
        created,
        await stage.door.balance(live),
        await stage.door.transactions(live),
        await stage.door.getRecharge(live, dataOf(created).id),
        await stage.door.getRecharge(live, 'nothing'),
        await stage.door.createRecharge(live, pixOf('1.00')),
        await stage.door.payTest(live, dataOf(created).id),
      ];
      expect(outcomes.map(({ meta }) => meta)).toEqual(Array(7).fill(undefined));
      for (const { text } of outcomes) expect(text).not.toContain('_meta');
    });

    it('shows the notice of test mode on refusals of every kind', async () => {
      const { id, test } = await aTestRecharge(stage);
      dataOf(await stage.door.failTest(test, id));
      const refusals = [
        await stage.door.transactions(test, { limit: 0 }),
        await stage.door.transactions(test, { start_date: '2026-11-02', end_date: '2026-11-01' }),
        await stage.door.createRecharge(test, {}),
        await stage.door.createRecharge(test, pixOf('99.99')),
        await stage.door.createRecharge(test, pixOf('100.00'), { idempotencyKey: '' }),
        await stage.door.getRecharge(test, 'nothing'),
        await stage.door.failTest(test, id),
      ];
      for (const outcome of refusals) {
        expect(outcome.ok).toBe(false);
        expect(outcome.meta).toEqual(notice);
      }
    });

    describe('is told apart in logs', () => {
      it('by the X-Request-Id that the client gave', async () => {
        const { live } = await stage.server.createTeam();
        const requestId = `client.${stage.door.name}_${randomUUID()}`;
        const { headers } = await stage.door.balance(live, { headers: { 'x-request-id': requestId } });
        expect(headers.get('x-request-id')).toBe(requestId);
        await eventually(() =>
          stage.server.logLines.some((line) => line.includes(`"requestId":"${requestId}"`)),
        );
      });

      it.each([
        ['none', undefined],
        ['one that is too short', 'short'],
        ['one with a line break in disguise', 'request%0d%0aid'],
        ['one of 65 characters', 'x'.repeat(65)],
      ])('by a new X-Request-Id where the client gave %s', async (_kind, given) => {
        const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
        const ids = [
          (await stage.door.balance(stage.server.keys.live, { headers })).headers.get('x-request-id'),
          (await stage.door.balance(null, { headers })).headers.get('x-request-id'),
        ];
        expect(new Set([...ids, given]).size).toBe(3);
        for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
      });

      it('and no key is ever written there', async () => {
        const { live } = await stage.server.createTeam();
        const requestId = `redaction-${randomUUID()}`;
        const headers = { 'x-request-id': requestId };
        await stage.door.balance(live, { headers });
        await stage.door.getRecharge(live, live, { headers });
        await eventually(() => stage.server.logLines.filter((line) => line.includes(requestId)).length === 2);
        for (const key of [live, stage.server.keys.operator]) {
          expect(stage.server.logLines.filter((line) => line.includes(key))).toEqual([]);
        }
      });
    });
  },
  { describeOn: describeOneEngine },
);
