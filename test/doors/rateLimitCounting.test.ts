import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '../harness/client.ts';
import { codesOf, eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { dataOf, describeDoors, pixOf } from './door.ts';
import { newTeamKeys } from './keys.ts';

describeEngines('the rate limit', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: { RATE_LIMIT_DEFAULT: '5', RATE_LIMIT_SEARCH: '5', RATE_LIMIT_WINDOW: '1h' },
    });
  });
  afterAll(() => server?.close());

  const remainingAfter = async (query: string, key: string) =>
    (await server.graphql(query, null, key)).headers.get('x-ratelimit-remaining');

  describe('of a GraphQL request', () => {
    it('counts each root field, aliases of the same field one by one', async () => {
      const { live } = await newTeamKeys(server);
      const three =
        '{ a: walletBalance { balance } b: walletBalance { balance } walletTransactions { pagination { total } } }';
      expect(await remainingAfter(three, live)).toBe('2');
      const refused = await server.graphql(three, null, live);
      expect(codesOf(refused.body.errors)).toContain('RATE_LIMIT_EXCEEDED');
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
      expect(refused.headers.get('retry-after')).not.toBeNull();
    });

    it('serves no more root fields than the window has left', async () => {
      const { teamId, live } = await newTeamKeys(server);
      const create = (name: string) =>
        `${name}: createRecharge(amount: "100.00", currency: BRL, paymentMethod: pix) { id }`;
      const eight = Array.from({ length: 8 }, (_, index) => create(`r${index}`)).join(' ');
      const answer = await server.graphql(`mutation { ${eight} }`, null, live);
      expect(codesOf(answer.body.errors)).toContain('RATE_LIMIT_EXCEEDED');
      const [row] = await server.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM recharges WHERE team_id = $1',
        [teamId],
      );
      expect(row?.count).toBe(5);
    });

    it('costs the same when its document is new and when it is known', async () => {
      const { live } = await newTeamKeys(server);
      const document = `query Fresh${randomUUID().replaceAll('-', '')} { walletBalance { balance } }`;
      const remaining = [];
      for (let sent = 0; sent < 3; sent += 1) remaining.push(await remainingAfter(document, live));
      expect(remaining).toEqual(['4', '3', '2']);
    });

    it('that runs no operation counts as one', async () => {
      const { live } = await newTeamKeys(server);
      expect(await remainingAfter('{ not a document', live)).toBe('4');
      expect(await remainingAfter('{ unknownField }', live)).toBe('3');
      expect(await remainingAfter('{ __typename }', live)).toBe('2');
      const batch = await server.rest('POST', '/graphql', { key: live, body: 'x' });
      expect([batch.status, batch.headers.get('x-ratelimit-remaining')]).toEqual([400, '1']);
      const empty = await server.rest('POST', '/graphql', { key: live, body: [] });
      expect([empty.status, empty.headers.get('x-ratelimit-remaining')]).toEqual([400, '0']);
    });

    it('counts each operation of a batch', async () => {
      const { live } = await newTeamKeys(server);
      const body = Array.from({ length: 4 }, () => ({ query: '{ walletBalance { balance } }' }));
      const batch = await server.rest('POST', '/graphql', { key: live, body });
      expect(batch.body.map(({ data }: Json) => data.walletBalance.balance)).toEqual(Array(4).fill('0.00'));
      const after = await server.rest('POST', '/graphql', { key: live, body });
      const codes = after.body.flatMap(({ errors }: Json) => codesOf(errors));
      expect(codes).toEqual(Array(3).fill('RATE_LIMIT_EXCEEDED'));
    });

    it('counts a batch no less than its members, whatever becomes of them, and keeps the answers of what ran', async () => {
      const { live } = await newTeamKeys(server);
      const create = 'mutation { createRecharge(amount: "100", currency: BRL, paymentMethod: pix) { id } }';
      const send = (...queries: string[]) =>
        server.rest('POST', '/graphql', { key: live, body: queries.map((query) => ({ query })) });
      const first = await send('{', '{ unknownField }', '{ __typename }');
      expect(first.headers.get('x-ratelimit-remaining')).toBe('2');
      const second = await send('{', '{', create, '{');
      expect(second.body[2].data.createRecharge.id).toEqual(expect.any(String));
      expect(codesOf(second.body[3].errors)).toEqual(['GRAPHQL_PARSE_FAILED']);
      expect(second.headers.get('x-ratelimit-remaining')).toBe('0');
      const third = await send('{', '{');
      expect([third.status, codesOf(third.body.errors)]).toEqual([429, ['RATE_LIMIT_EXCEEDED']]);
    });

    it('counts what a batch has refused beside what it has run, however much that is', async () => {
      const { live } = await newTeamKeys(server);
      const fields = Array.from({ length: 3 }, (_, index) => `f${index}: walletBalance { balance }`);
      const refused = 'query ($limit: PageSize!) { recharges(limit: $limit) { pagination { total } } }';
      const body = [{ query: `{ ${fields.join(' ')} }` }, { query: refused }];
      const batch = await server.rest('POST', '/graphql', { key: live, body });
      expect([batch.status, batch.headers.get('x-ratelimit-remaining')]).toEqual([200, '1']);
    });
  });

  if (engine.name === 'embedded') {
    it('lasts no longer than its window when the clock is set back', async () => {
      const { live } = await newTeamKeys(server);
      const statuses = async (count: number) => {
        const answers = [];
        for (let sent = 0; sent < count; sent += 1)
          answers.push((await server.rest('GET', '/api/v1/wallet/balance', { key: live })).status);
        return answers;
      };
      expect(await statuses(6)).toEqual([200, 200, 200, 200, 200, 429]);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 2 * 3_600_000 });
      try {
        expect(await statuses(6)).toEqual([200, 200, 200, 200, 200, 429]);
      } finally {
        vi.useRealTimers();
      }
    });
  }

  describe('of REST', () => {
    it('counts unknown paths, wrong methods, unreadable bodies and the simulator', async () => {
      const { live } = await newTeamKeys(server);
      const answers = [
        await server.rest('GET', '/api/v1/nothing', { key: live }),
        await server.rest('DELETE', '/api/v1/wallet/balance', { key: live }),
        await server.rest('POST', '/api/v1/wallet/recharge', { key: live, body: '{' }),
        await server.rest('GET', '/api/v1/wallet/recharge/%zz', { key: live }),
        await server.rest('POST', '/simulator/recharges/nothing/pay', { key: live }),
        await server.rest('GET', '/api/v1/nothing', { key: live }),
      ];
      expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
        '4',
        '3',
        '2',
        '1',
        '0',
        '0',
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 405, 400, 400, 404, 429]);
    });
  });
});

describeDoors(
  'the rate limit’s window',
  (stage) => {
    it('once over leaves room for everything again, also for what was refused with an Idempotency-Key', async () => {
      const { live } = await newTeamKeys(stage.server);
      const idempotencyKey = randomUUID();
      await eventually(async () => {
        const outcomes = await Promise.all(Array.from({ length: 8 }, () => stage.door.balance(live)));
        // All of one window: those that reach into the next one count there.
        const windows = new Set(outcomes.map(({ headers }) => headers.get('x-ratelimit-reset')));
        return outcomes.some(({ ok }) => !ok) && windows.size === 1;
      });
      const first = await eventually(async () => {
        const outcome = await stage.door.createRecharge(live, pixOf('100.00'), { idempotencyKey });
        return outcome.ok && outcome;
      });
      expect(first.headers.get('x-ratelimit-remaining')).toBe('4');
      expect(first.replayed).toBe(false);
      dataOf(first);
    });

    it('cannot be multiplied by addresses that the client makes up', async () => {
      let made = 0;
      // Each of a network of its own.
      const address = () => {
        made += 1;
        return `100.${64 + ((made >> 16) & 63)}.${(made >> 8) & 255}.${made & 255}`;
      };
      await eventually(async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, () =>
            stage.door.balance(null, { headers: { 'x-forwarded-for': address() } }),
          ),
        );
        return outcomes.some((outcome) => !outcome.ok && outcome.error.code === 'RATE_LIMIT_EXCEEDED');
      });
    });
  },
  { settings: { RATE_LIMIT_DEFAULT: '5', RATE_LIMIT_WINDOW: '1s' } },
);
