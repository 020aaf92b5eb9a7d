import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOneEngine } from '../harness/engines.ts';
import type { RawAnswer } from '../harness/rawRequest.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { create } from './badRequests.ts';
import { get, list } from './badTargets.ts';
import { expectErrorBody, post, Refusals, recharge } from './refusals.ts';

const runs = { numRuns: 150 };

/** Any JSON value, with a liking for what is nearly right. */
const amounts = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[+-]?\d{0,12}(\.\d{0,3})?$/) },
  { weight: 2, arbitrary: fc.integer({ min: 100, max: 50_000 }).map((whole) => `${whole}.50`) },
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
);
const oneOf = (...values: string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, fc.string(), fc.jsonValue());
const bodies = fc.record(
  { amount: amounts, currency: oneOf('BRL', 'brl', 'USD'), payment_method: oneOf('pix', 'boleto', 'cheque') },
  { requiredKeys: [] },
);

/** The bad members of a recharge request by SPEC and DESIGN §4, in the order of the documentation. */
function badMembers({ amount, currency, payment_method: method }: Record<string, unknown>): string[] {
  const isFormed = typeof amount === 'string' && /^(0|[1-9]\d{0,9})(\.\d{1,2})?$/.test(amount);
  const isInRange = isFormed && Number(amount) >= 100 && Number(amount) <= 50_000;
  return [
    ...(isInRange ? [] : ['amount']),
    ...(currency === 'BRL' ? [] : ['currency']),
    ...(method === 'pix' || method === 'boleto' ? [] : ['payment_method']),
  ];
}

const filters = fc.record(
  {
    page: fc.oneof(fc.integer().map(String), fc.constantFrom('1', '1e3', ' 1', '1.0'), fc.string()),
    limit: fc.oneof(fc.integer({ min: -1, max: 102 }).map(String), fc.string()),
    type: fc.oneof(fc.constantFrom('credit', 'debit', 'CREDIT'), fc.string()),
    start_date: fc.oneof(fc.stringMatching(/^2026-[01]\d-[0-3]\d$/), fc.string()),
    end_date: fc.oneof(fc.stringMatching(/^2027-[01]\d-[0-3]\d$/), fc.string()),
  },
  { requiredKeys: [] },
);

const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether text is a day of a year that is no leap year. */
function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return Number(year) > 0 && Number(day) >= 1 && Number(day) <= (daysOf[Number(month) - 1] ?? 0);
}

const isWithin = (text: string, maximum: number) =>
  /^\d{1,15}$/.test(text) && Number(text) >= 1 && Number(text) <= maximum;

const accepts: Record<string, (text: string) => boolean> = {
  page: (text) => isWithin(text, 2 ** 31 - 1),
  limit: (text) => isWithin(text, 100),
  type: (text) => text === 'credit' || text === 'debit',
  start_date: isDay,
  end_date: isDay,
};

function expectFields(answer: RawAnswer, fields: string[]): void {
  expectErrorBody(answer);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.body.error.details.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
}

describeOneEngine('whatever comes over REST', (engine) => {
  let server: TestServer;
  let key: string;
  const refusals = new Refusals(
    () => server,
    () => key,
  );
  const countOfRecharges = async () => {
    const [row] = await server.query<{ count: number }>('SELECT count(*)::int AS count FROM recharges');
    return row?.count ?? -1;
  };
  beforeAll(async () => {
    server = await startTestServer(engine);
    key = (await server.createTeam()).test;
  });
  afterAll(() => server?.close());

  it('as a recharge is created or refused with exactly its bad members', async () => {
    let expected = await countOfRecharges();
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await refusals.send(create(body));
        const faults = badMembers(body);
        if (faults.length > 0) return expectFields(answer, faults);
        expect([201, 422]).toContain(answer.status);
        if (answer.status === 422) expect(answer.body.error.message).toBe('Daily limit exceeded');
        else expected += 1;
      }),
      runs,
    );
    expect(await countOfRecharges()).toBe(expected);
  });

  it('as a JSON body is refused unless it is an object or null, which is none, and then for its members', async () => {
    const before = await countOfRecharges();
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ depthSize: 'medium' }), async (body) => {
        const answer = await refusals.send(create(JSON.stringify(body)));
        const mayHaveMembers = typeof body === 'object' && !Array.isArray(body);
        expectFields(answer, mayHaveMembers ? ['amount', 'currency', 'payment_method'] : ['body']);
      }),
      runs,
    );
    expect(await countOfRecharges()).toBe(before);
  });

  it('as bytes is refused as malformed', async () => {
    const cut = fc
      .integer({ min: 1, max: JSON.stringify(recharge).length - 1 })
      .map((length) => Buffer.from(JSON.stringify(recharge).slice(0, length)));
    const before = await countOfRecharges();
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, fc.uint8Array({ minLength: 1 })), async (bytes) => {
        const answer = await refusals.send(post('/wallet/recharge', bytes));
        expectErrorBody(answer);
        expect(answer.status).toBe(400);
      }),
      runs,
    );
    expect(await countOfRecharges()).toBe(before);
  });

  it('as filters is answered, or refused with exactly the bad ones', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const answer = await refusals.send(list(new URLSearchParams(filter).toString()));
        const faults = Object.keys(accepts).filter(
          (name) => name in filter && !accepts[name]?.(filter[name as keyof typeof filter] as string),
        );
        if (faults.length > 0) return expectFields(answer, faults);
        expect(answer.status).toBe(200);
      }),
      runs,
    );
  });

  it('as a query string is no fault of ours', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[!-"$-~]{0,60}$/), async (query) => {
        const answer = await refusals.send(list(query));
        expect([200, 400]).toContain(answer.status);
        if (answer.status === 400) expectErrorBody(answer);
      }),
      runs,
    );
  });

  it('as an id is not found', async () => {
    const ids = fc.string({ unit: 'grapheme', minLength: 1 }).map(encodeURIComponent);
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 30 })
      .map((values) => Array.from(values, (value) => `%${value.toString(16).padStart(2, '0')}`).join(''));
    const before = await countOfRecharges();
    await fc.assert(
      fc.asyncProperty(fc.oneof(ids, bytes), async (id) => {
        for (const request of [
          get(`/wallet/recharge/${id}`),
          post(`/test_helpers/recharges/${id}/pay`, {}),
        ]) {
          const answer = await refusals.send(request);
          expectErrorBody(answer);
          const { status, body } = answer;
          if (status === 404) expect(body.error.message).toBe('Recharge not found');
          else expect([status, body.error.details.field]).toEqual([400, 'path']);
        }
      }),
      runs,
    );
    expect(await countOfRecharges()).toBe(before);
  });

  it('as a header is answered', async () => {
    const values = fc.stringMatching(/^[!-~][ -~]{0,80}$/);
    const names = fc.constantFrom(
      'accept',
      'accept-language',
      'content-type',
      'origin',
      'x-request-id',
      'x-forwarded-for',
      'cookie',
      'if-none-match',
      'range',
    );
    await fc.assert(
      fc.asyncProperty(names, values, async (name, value) => {
        const answer = await refusals.send({
          ...get('/wallet/balance'),
          headers: { [name]: value.trimEnd() },
        });
        expect([answer.status, answer.body.data.balance]).toEqual([200, '5000.00']);
      }),
      { numRuns: 60 },
    );
  });
});
