import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatAmount } from '../../src/domain/money.ts';
import { dataOf, pixOf } from '../doors/door.ts';
import { documents } from '../doors/graphqlDoor.ts';
import { restDoor } from '../doors/restDoor.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { minuteMs, TestClock } from '../harness/testClock.ts';
import { Bank, signatureOf } from './bank.ts';

/** Only a server has other sessions that can hold a wallet; the embedded store has one. */
describeSeveralSessions('payments that are told while something else holds their wallet', (engine) => {
  const clock = new TestClock();
  const bank = new Bank();
  let server: TestServer;
  let other: pg.Client;
  beforeAll(async () => {
    server = await startTestServer(engine, { clock, paymentProvider: bank });
    other = await server.openSession();
  });
  afterAll(() => server?.close());

  it('are to be told again, and those told with them are credited', async () => {
    const door = restDoor(() => server);
    const paid = async (key: string) => {
      const { id } = dataOf(await door.createRecharge(key, pixOf('320.00')));
      return { rechargeId: id, outcome: 'paid', providerReference: `paid_${id}` };
    };
    const [locked, free] = [await server.createTeam(), await server.createTeam()];
    const [first, second] = [await paid(locked.live), await paid(locked.live)];
    const told = [first, second, await paid(free.live)];
    const tell = (...more: Json[]) => {
      const body = JSON.stringify([...told, ...more]);
      const headers = { 'X-Bank-Signature': signatureOf(body) };
      return fetch(`${server.url}/callbacks/payments/bank`, { method: 'POST', body, headers });
    };
    const balanceOf = async (key: string) => dataOf(await door.balance(key)).balance;

    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [locked.teamId]);
    const refused = await tell();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([500, '1']);
    expect(await refused.json()).toMatchObject({ error: { details: { type: 'overloaded' } } });
    expect([await balanceOf(locked.live), await balanceOf(free.live)]).toEqual(['0.00', '320.00']);
    // All others of the call wait for what the first waits for, else each as long as it.
    const complaint = server.logLines.find((line) => line.includes('2 payment notifications not taken'));
    expect(complaint).toContain(`${second.rechargeId}, whose wallet is locked`);
    // Nothing but an overload would be over when it is told again.
    const senseless = await tell({ ...first, providerReference: '' });
    expect([senseless.status, senseless.headers.get('retry-after')]).toEqual([500, null]);
    await other.query('ROLLBACK');
    expect((await tell()).status).toBe(200);
    expect([await balanceOf(locked.live), await balanceOf(free.live)]).toEqual(['640.00', '320.00']);
  });

  it('wait for each other, and nobody else for them', async () => {
    const door = restDoor(() => server);
    const [locked, free] = [await server.createTeam(), await server.createTeam()];
    const bodies: string[] = [];
    // More of them than there are connections.
    while (bodies.length < 20) {
      const { id: rechargeId } = dataOf(await door.createRecharge(locked.live, pixOf('100.00')));
      bodies.push(JSON.stringify([{ rechargeId, outcome: 'paid', providerReference: `paid_${rechargeId}` }]));
    }
    const tell = async (body: string) => {
      const headers = { 'X-Bank-Signature': signatureOf(body) };
      return (await fetch(`${server.url}/callbacks/payments/bank`, { method: 'POST', body, headers })).status;
    };

    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [locked.teamId]);
    let isTold = false;
    const telling = Promise.all(bodies.map(tell)).finally(() => {
      isTold = true;
    });
    const rechargeOthers = async () => {
      while (!isTold) dataOf(await door.createRecharge(free.live, pixOf('100.00')));
    };
    let mostWaits = 0;
    // Beside the recharges, which take a busy machine longer than two may wait.
    const looking = eventually(async () => {
      mostWaits = Math.max(mostWaits, await lockWaits(server));
      return isTold;
    });
    await Promise.all([rechargeOthers(), looking]);
    expect(mostWaits).toBe(2);
    expect(new Set(await telling)).toEqual(new Set([500]));
    await other.query('ROLLBACK');
    for (const body of bodies) expect(await tell(body)).toBe(200);
    expect(dataOf(await door.balance(locked.live)).balance).toBe('2000.00');
  });

  it('are debited or dismissed, and not both, where the bank has taken them back', async () => {
    const door = restDoor(() => server);
    const { live, teamId } = await server.createTeam();
    const { id: rechargeId } = dataOf(await door.createRecharge(live, pixOf('100.00')));
    const body = JSON.stringify(
      ['paid', 'returned'].map((outcome) => ({ rechargeId, outcome, providerReference: outcome })),
    );
    const headers = { 'X-Bank-Signature': signatureOf(body) };
    await fetch(`${server.url}/callbacks/payments/bank`, { method: 'POST', body, headers });
    const [notice] = await server.query<{ id: string }>(
      `SELECT id FROM payment_notices WHERE recharge_id = $1 AND outcome = 'returned'`,
      [rechargeId],
    );
    let answered = 0;
    const operate = async (mutation: string) => {
      const { body: answer } = await server.graphql(`mutation { ${mutation} }`, null, server.keys.operator);
      answered += 1;
      return answer;
    };

    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    const debit = operate(`debitReturnedPayment(id: "${notice?.id}") { note }`);
    await eventually(async () => (await lockWaits(server)) === 1);
    const dismissal = operate(`dismissPayment(id: "${notice?.id}", note: "Given back") { note }`);
    await eventually(async () => answered + (await lockWaits(server)) === 2);
    await other.query('ROLLBACK');

    expect((await debit).data.debitReturnedPayment).toEqual({ note: 'Debited from the wallet' });
    expect((await dismissal).errors?.[0].message).toBe('Payment already settled');
    expect(dataOf(await door.balance(live)).balance).toBe('0.00');
  });

  it('wait for whoever holds what the bank took back of them, as an operator does, and do not hold the recharge meanwhile', async () => {
    const door = restDoor(() => server);
    const { live } = await server.createTeam();
    const { id: rechargeId } = dataOf(await door.createRecharge(live, pixOf('100.00')));
    const tell = async (outcome: string) => {
      const body = JSON.stringify([{ rechargeId, outcome, providerReference: `${outcome}_${rechargeId}` }]);
      const headers = { 'X-Bank-Signature': signatureOf(body) };
      return (await fetch(`${server.url}/callbacks/payments/bank`, { method: 'POST', body, headers })).status;
    };
    // Put aside while there is nothing to debit: it waits again once there is.
    await tell('returned');
    const [notice] = await server.query<{ id: string }>(
      'SELECT id FROM payment_notices WHERE recharge_id = $1',
      [rechargeId],
    );
    const dismissal = `mutation { dismissPayment(id: "${notice?.id}", note: "Told too early") { id } }`;
    await server.graphql(dismissal, null, server.keys.operator);

    await other.query('BEGIN');
    await other.query(`SET LOCAL deadlock_timeout = '10ms'`);
    await other.query('SELECT FROM payment_notices WHERE id = $1 FOR UPDATE', [notice?.id]);
    const paid = tell('paid');
    await eventually(async () => (await lockWaits(server)) === 1);
    await other.query('SELECT FROM recharges WHERE id = $1 FOR UPDATE', [rechargeId]);
    await other.query('ROLLBACK');

    expect(await paid).toBe(200);
    expect(dataOf(await door.balance(live)).balance).toBe('100.00');
    const waits = 'SELECT settled_at FROM payment_notices WHERE id = $1';
    expect(await server.query(waits, [notice?.id])).toEqual([{ settled_at: null }]);
  });

  it('are not the only ones to wait: no charge is cancelled whose recharge does, and is written', async () => {
    const door = restDoor(() => server);
    const { live, teamId } = await server.createTeam();
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    const requesting = door.createRecharge(live, pixOf('100.00'));
    await eventually(async () => (await lockWaits(server)) === 1);
    // So late that it would be no more than a charge of no recharge.
    clock.advance(10 * minuteMs);
    await sweptTwice(server.url, 'charge-cancellation');
    await other.query('ROLLBACK');
    const { id } = dataOf(await requesting);
    expect(bank.cancelled.filter(({ rechargeId }) => rechargeId === id)).toEqual([]);
  });

  it('keep no charge payable but their own', async () => {
    const door = restDoor(() => server);
    const { live } = await server.createTeam();
    const [held = '', cancelled = '', heldNote = '', note = ''] = ['100.00', '200.00', '300.00', '400.00'];
    const ids = new Map<string, string>();
    const { charges } = bank;
    bank.charges = async (request, options) => {
      const amount = formatAmount(request.amountCents);
      ids.set(amount, request.rechargeId);
      if (amount === heldNote || amount === note) throw new Error('the connection was cut');
      return charges(request, options);
    };
    bank.cancels = () => Promise.reject(new Error('503'));
    for (const amount of [held, cancelled, heldNote, note]) await door.createRecharge(live, pixOf(amount));
    for (const amount of [held, cancelled])
      await server.graphql(documents.ofRecharge('cancelRecharge'), { id: ids.get(amount) }, live);
    clock.advance(2 * minuteMs);
    await eventually(() => new Set(bank.cancelled.map(({ rechargeId }) => rechargeId)).size === 4);
    const payable = async () => {
      const rows = await server.query<{ id: string }>(
        `SELECT id FROM recharges WHERE charge_to_cancel_at IS NOT NULL
         UNION ALL SELECT recharge_id FROM unwritten_charges`,
      );
      return rows.map(({ id }) => id).sort();
    };

    // As a payment does that waits for its wallet, and a creation that writes its recharge.
    await other.query('BEGIN');
    await other.query('SELECT FROM recharges WHERE id = $1 FOR UPDATE', [ids.get(held)]);
    await other.query('SELECT FROM unwritten_charges WHERE recharge_id = $1 FOR UPDATE', [ids.get(heldNote)]);
    bank.cancels = async () => undefined;
    clock.advance(2 * minuteMs);
    await eventually(async () => (await payable()).length === 2);
    expect(await payable()).toEqual([ids.get(held), ids.get(heldNote)].sort());
    await other.query('ROLLBACK');
    await eventually(async () => (await payable()).length === 0);
  });
});
