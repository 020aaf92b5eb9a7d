import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { dataOf, patientDoor, pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { sentAgain } from '../harness/sentAgain.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { hourMs, TestClock } from '../harness/testClock.ts';
import { Bank, signatureOf } from './bank.ts';

const recharges = 10;

/** Whoever comes first, each recharge is credited once: two processes on a server, one on the embedded store. */
describeEngines('payments that are told, refused and settled at the same moment', (engine) => {
  const clock = new TestClock();
  const bank = new Bank();
  let server: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { clock, paymentProvider: bank });
    const place = { settings: server.environment, release: async () => undefined };
    second =
      engine.name === 'embedded'
        ? server
        : await startTestServer(
            { ...engine, allocate: async () => place },
            { clock, paymentProvider: new Bank() },
          );
  });
  afterAll(async () => {
    if (second !== server) await second?.close();
    await server?.close();
  });
  beforeEach(() => bank.reset());

  const tellOnce = async (
    { url }: TestServer,
    rechargeId: string,
    outcome: string,
    of: string,
    amountCents: string | null = null,
  ) => {
    const providerReference = `${of}/${rechargeId}`;
    const body = JSON.stringify([{ rechargeId, outcome, providerReference, amountCents }]);
    const request = { method: 'POST', body, headers: { 'X-Bank-Signature': signatureOf(body) } };
    return (await fetch(`${url}/callbacks/payments/bank`, request)).status;
  };
  /** As a bank does: again, until it is taken. */
  const tell = (...told: Parameters<typeof tellOnce>) =>
    eventually(async () => (await tellOnce(...told)) === 200);
  const operate = async ({ graphql }: TestServer, document: string): Promise<Json> =>
    (await sentAgain(() => graphql(document, null, server.keys.operator))).body;
  /** Payments of these recharges that wait for an operator. */
  const waiting = async (rechargeIds: string[]): Promise<string[]> =>
    (
      await operate(server, '{ unsettledPayments(limit: 100) { items { id rechargeId } } }')
    ).data.unsettledPayments.items
      .filter(({ rechargeId }: Json) => rechargeIds.includes(rechargeId))
      .map(({ id }: Json) => id);

  it('are credited once, and what is left waits for an operator', async () => {
    const door = patientDoor(restDoor(() => server));
    const { live } = await server.createTeam();
    const request = async () => dataOf(await door.createRecharge(live, pixOf('100.00'))).id as string;
    const ids = await Promise.all(Array.from({ length: recharges }, request));
    const cancelled = 'mutation ($id: String!) { cancelRecharge(id: $id) { status } }';
    await Promise.all(
      ids.flatMap((id, index) => {
        const [one, other] = index % 2 === 0 ? [server, second] : [second, server];
        return [
          index % 3 === 0 ? tell(one, id, 'failed', 'none') : one.graphql(cancelled, { id }, live),
          tell(one, id, 'paid', 'first'),
          tell(other, id, 'paid', 'second'),
        ];
      }),
    );
    // Of the two payments of each, at least the second is one too many.
    const payments = await waiting(ids);
    expect(payments.length).toBeGreaterThanOrEqual(recharges);
    await Promise.all(
      payments.flatMap((id) =>
        [server, second].map((at) => operate(at, `mutation { creditPayment(id: "${id}") { id } }`)),
      ),
    );
    expect(dataOf(await door.balance(live)).balance).toBe(`${recharges}00.00`);
    expect(await waiting(ids)).toHaveLength(recharges);
    expect(await ledgerBreaks(server.running.gateway.platform.sequelize)).toEqual([]);
  });

  it('and that the bank took back are debited for no centavo too many, in parts, together and until nothing is left', async () => {
    const door = restDoor(() => server);
    const { live } = await server.createTeam();
    const took = (id: string, of: string, amountCents: string) =>
      tell(server, id, 'returned', `${of}/${amountCents}`, amountCents);
    for (let number = 0; number < 3; number += 1) {
      const { id } = dataOf(await door.createRecharge(live, pixOf('100.00')));
      await tell(server, id, 'paid', 'first');
      // More than was credited, all together.
      await Promise.all([took(id, 'MED', '6000'), took(id, 'MED', '7000')]);
    }
    const rows = await server.query<{ id: string }>(
      `SELECT id FROM payment_notices WHERE provider_reference LIKE 'MED/%'`,
    );
    const debit = (at: TestServer, id: string, amount = '') =>
      operate(at, `mutation { debitReturnedPayment(id: "${id}"${amount}) { id } }`);
    const answers = await Promise.all(
      rows.flatMap(({ id }) =>
        [server, second].flatMap((at) => [
          debit(at, id, ', amount: "25.01"'),
          debit(at, id, ', amount: "25.01"'),
          debit(at, id),
        ]),
      ),
    );
    const known = /^(Payment (already settled|cannot be debited)|Amount exceeds what is outstanding)$/;
    for (const { errors } of answers) if (errors) expect(errors[0].message).toMatch(known);
    const debited = await server.query(
      `SELECT sum(amount_cents)::integer AS cents FROM wallet_entries
        WHERE reference_type = 'recharge' AND type = 'debit' GROUP BY reference_id`,
    );
    expect(debited).toEqual(Array(3).fill({ cents: 100_00 }));
    expect(dataOf(await door.balance(live)).balance).toBe('0.00');
    expect(await ledgerBreaks(server.running.gateway.platform.sequelize)).toEqual([]);
  });

  it('are told again while their recharge may still be written', async () => {
    const door = restDoor(() => server);
    const { live } = await server.createTeam();
    let id = '';
    const early: number[] = [];
    bank.charges = async ({ rechargeId }) => {
      id = rechargeId;
      early.push(await tellOnce(second, id, 'paid', 'early'));
      return { method: 'pix', pixCopyPaste: 'code' };
    };
    dataOf(await door.createRecharge(live, pixOf('100.00')));
    expect(early).toEqual([500]);
    expect(await tellOnce(second, id, 'paid', 'early')).toBe(200);
    expect(dataOf(await door.getRecharge(live, id)).status).toBe('completed');

    bank.charges = async ({ rechargeId }) => {
      id = rechargeId;
      throw new Error('503');
    };
    expect((await door.createRecharge(live, pixOf('100.00'))).ok).toBe(false);
    expect(await tellOnce(second, id, 'paid', 'lost')).toBe(500);
    clock.advance(hourMs);
    expect(await tellOnce(second, id, 'paid', 'lost')).toBe(200);
    const kept = await server.query('SELECT reason FROM payment_notices WHERE recharge_id = $1', [id]);
    expect(kept).toEqual([{ reason: 'unknown_recharge' }]);
  });
});
