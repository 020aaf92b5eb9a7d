import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { walletsOf, writeBooking } from '../bookings/writtenBookings.ts';
import { boletoOf, dataOf, pixOf, type Stage } from '../doors/door.ts';
import { cancel } from '../doors/rechargeSteps.ts';
import type { Json } from '../harness/client.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { minuteMs } from '../harness/testClock.ts';
import { operate, paid, tell, waiting } from './bankSteps.ts';

const fields = `id reason amount rechargeId rechargeAmount outstandingAmount settlement settledAt settledBy
  debits { transactionId amount debitedAt debitedBy }`;

const debitDocument = `mutation ($id: String!, $amount: Amount) {
  debitReturnedPayment(id: $id, amount: $amount) { ${fields} }
}`;

/** What operators do about money that the bank takes back, as part of what a bank's callbacks bring about. */
export function describeReturnedPayments(stage: Stage): void {
  const credited = async (key: string, input: Json): Promise<string> => {
    const { id } = dataOf(await stage.door.createRecharge(key, input));
    await tell(stage, paid(id));
    return id;
  };
  const find = async (id: string): Promise<Json> => {
    for (const list of ['unsettledPayments', 'settledPayments']) {
      const { data } = await operate(stage, `{ ${list}(limit: 100) { items { ${fields} } } }`);
      const found = data[list].items.find((one: Json) => one.id === id);
      if (found) return { ...found, list };
    }
    throw new Error(`${id} is in no list`);
  };
  /** A payment of a recharge that the bank has taken back: so many centavos of it, or it does not say. */
  const returned = async (rechargeId: string, amountCents: string | null): Promise<Json> => {
    const providerReference = randomUUID();
    await tell(stage, { rechargeId, outcome: 'returned', providerReference, amountCents });
    const [row] = await stage.server.query<{ id: string }>(
      'SELECT id FROM payment_notices WHERE provider_reference = $1',
      [providerReference],
    );
    return find(row?.id as string);
  };
  const ask = (id: string, amount: string | null = null, idempotencyKey: string | null = null) =>
    operate(
      stage,
      debitDocument,
      { id, amount },
      idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey },
    );
  const debit = async (...asked: Parameters<typeof ask>): Promise<Json> => {
    const body = await ask(...asked);
    expect(body.errors).toBeUndefined();
    return body.data.debitReturnedPayment;
  };
  const refused = async (asked: Parameters<typeof ask>, message: string, details: Json) => {
    const { data, errors } = await ask(...asked);
    expect(data).toEqual({ debitReturnedPayment: null });
    expect(errors[0].message).toBe(message);
    expect(errors[0].extensions.details).toMatchObject(details);
  };
  const balanceOf = async (key: string) => dataOf(await stage.door.balance(key)).balance;
  describe('and that the bank takes back', () => {
    it('are debited from the wallet that got them, once, whoever asks for it at the same moment', async () => {
      const { live } = await stage.server.createTeam();
      const rechargeId = await credited(live, pixOf('600.00'));
      const before = dataOf(await stage.door.getRecharge(live, rechargeId));
      const payment = await returned(rechargeId, '12000');
      expect(payment).toMatchObject({ list: 'unsettledPayments', outstandingAmount: '120.00', debits: [] });
      stage.clock.advance(minuteMs);
      const answers = await Promise.all(Array.from({ length: 4 }, () => ask(payment.id)));
      const [made, ...others] = answers.filter(({ errors }) => !errors);
      expect(others).toEqual([]);
      const debitedAt = stage.clock.now().toISOString();
      const debited = made?.data.debitReturnedPayment;
      const [{ transactionId, debitedBy }] = debited.debits;
      expect(debitedBy).toMatch(/^key_/);
      expect(debited).toMatchObject({
        settlement: 'debited',
        settledAt: debitedAt,
        settledBy: debitedBy,
        outstandingAmount: '0.00',
        debits: [{ amount: '120.00', debitedAt }],
      });
      expect(await find(payment.id)).toEqual({ ...debited, list: 'settledPayments' });
      await refused([payment.id], 'Payment already settled', { field: 'id', type: 'settled' });
      expect(stage.server.logLines.filter((line) => line.includes(transactionId))).toHaveLength(1);

      const { transactions, summary } = dataOf(await stage.door.transactions(live));
      const { payment_method: method = null, ...entry } = transactions[0];
      expect(method).toBeNull();
      expect(entry).toEqual({
        id: transactionId,
        type: 'debit',
        amount: '120.00',
        currency: 'BRL',
        description: 'Recharge by PIX returned by the bank',
        reference_type: 'recharge',
        reference_id: rechargeId,
        balance_after: '480.00',
        created_at: debitedAt,
      });
      expect(summary).toMatchObject({ total_credits: '600.00', total_debits: '120.00' });
      expect(await balanceOf(live)).toBe('480.00');
      expect(dataOf(await stage.door.getRecharge(live, rechargeId))).toEqual(before);
      const told = await stage.server.query<Json>(
        `SELECT type, data -> 'object' AS object FROM events e JOIN recharges r ON r.wallet_id = e.wallet_id
          WHERE r.id = $1 ORDER BY e.sequence`,
        [rechargeId],
      );
      expect(told.slice(-2)).toEqual([
        { type: 'wallet.debit', object: entry },
        {
          type: 'wallet.low_balance',
          object: { balance: '480.00', currency: 'BRL', threshold: '500.00' },
        },
      ]);
    });

    it('are debited in parts where the available credit does not cover them, or put aside after a part', async () => {
      const { live, teamId } = await stage.server.createTeam();
      const rechargeId = await credited(live, boletoOf('320.00'));
      const payment = await returned(rechargeId, '12000');
      const { live: walletId } = await walletsOf(stage.server, teamId);
      await writeBooking(stage.server, walletId, { type: 'hold', amountCents: 250_00 });
      await refused([payment.id], 'Insufficient balance', { amount: '120.00', available_credit: '70.00' });
      expect(await find(payment.id)).toEqual(payment);
      await refused([payment.id, '120.01'], 'Amount exceeds what is outstanding', {
        field: 'amount',
        type: 'too_large',
        outstanding_amount: '120.00',
      });
      const nothing = { field: 'amount', type: 'too_small' };
      await refused([payment.id, '0.00'], 'Invalid request parameters', nothing);

      const key = randomUUID();
      const part = await debit(payment.id, '70.00', key);
      expect(part).toMatchObject({
        settlement: null,
        settledAt: null,
        outstandingAmount: '50.00',
        debits: [{ amount: '70.00' }],
      });
      expect(await debit(payment.id, '70.00', key)).toEqual(part);
      expect(await find(payment.id)).toEqual({ ...part, list: 'unsettledPayments' });
      const { transactions } = dataOf(await stage.door.transactions(live, { type: 'debit' }));
      expect(transactions).toHaveLength(1);
      expect(transactions[0].description).toBe('Recharge by boleto returned by the bank');
      await refused([payment.id], 'Insufficient balance', { amount: '50.00', available_credit: '0.00' });

      const dismissed = `mutation { dismissPayment(id: "${payment.id}", note: "lost") { ${fields} } }`;
      expect((await operate(stage, dismissed)).data.dismissPayment).toMatchObject({
        settlement: 'dismissed',
        outstandingAmount: '0.00',
        debits: part.debits,
      });
      await refused([payment.id], 'Payment already settled', { type: 'settled' });
      expect(await balanceOf(live)).toBe('250.00');
    });

    it('show their debits in the order in which they were made', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = await returned(await credited(live, pixOf('320.00')), null);
      const amounts = ['40.00', '30.00', '50.00'];
      for (const amount of amounts) {
        stage.clock.advance(1_000);
        await debit(id, amount);
      }
      const { debits } = await find(id);
      expect(debits.map(({ amount }: Json) => amount)).toEqual(amounts);
    });

    it('are never debited beyond what was credited, and nothing else is', async () => {
      const { live } = await stage.server.createTeam();
      const rechargeId = await credited(live, pixOf('320.00'));
      const [some, whole] = [await returned(rechargeId, '20000'), await returned(rechargeId, null)];
      expect(whole.outstandingAmount).toBe('320.00');
      await debit(some.id);
      expect((await find(whole.id)).outstandingAmount).toBe('120.00');
      expect((await debit(whole.id, '120.00')).settlement).toBe('debited');
      const late = await returned(rechargeId, '5000');
      expect(late.outstandingAmount).toBe('0.00');
      const gone = { field: 'id', type: 'nothing_outstanding' };
      await refused([late.id], 'Payment cannot be debited', gone);
      expect(await balanceOf(live)).toBe('0.00');

      const { id: unpaid } = dataOf(await stage.door.createRecharge(live, pixOf('320.00')));
      for (const rechargeOrNone of [unpaid, 'nonsense']) {
        const uncredited = await returned(rechargeOrNone, '5000');
        expect(uncredited.outstandingAmount).toBeNull();
        await refused([uncredited.id], 'Payment cannot be debited', gone);
      }
      await tell(stage, paid(unpaid, { amountCents: '5000', providerReference: unpaid }));
      const wrong = { field: 'id', type: 'wrong_amount' };
      const { data } = await operate(
        stage,
        '{ unsettledPayments(limit: 100) { items { id rechargeId reason } } }',
      );
      const [{ id }] = data.unsettledPayments.items.filter(
        (one: Json) => one.rechargeId === unpaid && one.reason === 'wrong_amount',
      );
      await refused([id], 'Payment cannot be debited', wrong);
      for (const unknown of ['pay_01jd4yhz1je5j8v2r0h3m6x9qj', '\0'])
        await refused([unknown], 'Payment not found', {});
    });

    it.each([
      ['told late', 'pending'],
      ['credited by an operator', 'cancelled'],
    ])('wait again when they were put aside before the payment was credited: %s', async (_, status) => {
      const { live } = await stage.server.createTeam();
      const { id: rechargeId } = dataOf(await stage.door.createRecharge(live, pixOf('320.00')));
      const told = paid(rechargeId);
      if (status === 'cancelled') dataOf(await cancel(stage, live, rechargeId));
      const other = dataOf(await stage.door.createRecharge(live, pixOf('320.00'))).id;
      const payments = [await returned(rechargeId, '12000'), await returned(rechargeId, null)];
      const [uncredited, open] = [await returned(other, null), await returned(rechargeId, '5000')];
      const foreign = await returned(rechargeId, null);
      await stage.server.query(`UPDATE payment_notices SET provider = 'other' WHERE id = $1`, [foreign.id]);
      for (const { id } of [...payments, uncredited, foreign]) {
        const dismissed = `mutation { dismissPayment(id: "${id}", note: "given back") { outstandingAmount } }`;
        expect((await operate(stage, dismissed)).data.dismissPayment).toEqual({ outstandingAmount: null });
      }
      const aside = [await find(uncredited.id), await find(foreign.id)];
      await tell(stage, told);
      if (status === 'cancelled') {
        const [late] = await waiting(stage, told.providerReference);
        await operate(stage, `mutation { creditPayment(id: "${late?.id}") { id } }`);
      }
      expect(await balanceOf(live)).toBe('320.00');

      for (const [payment, outstandingAmount] of [
        [payments[0], '120.00'],
        [payments[1], '320.00'],
        [open, '50.00'],
      ])
        expect(await find(payment.id)).toEqual({ ...payment, outstandingAmount });
      expect([await find(uncredited.id), await find(foreign.id)]).toEqual(aside);
      const again = stage.server.logLines.filter((line) => line.includes('waits for an operator again'));
      const reopened = again.map((line) => JSON.parse(line)).filter((one) => one.rechargeId === rechargeId);
      expect(reopened.map(({ noticeId }) => noticeId).sort()).toEqual(payments.map(({ id }) => id).sort());
      for (const { settledBy } of reopened) expect(settledBy).toMatch(/^key_/);
      expect(await debit(payments[0].id)).toMatchObject({ settlement: 'debited', outstandingAmount: '0.00' });
      expect(await balanceOf(live)).toBe('200.00');
    });

    it('are debited by the rules of test mode where they were test payments', async () => {
      const { test } = await stage.server.createTeam();
      const payment = await returned(await credited(test, pixOf('6000.00')), null);
      const available = { amount: '6000.00', available_credit: '5000.00' };
      await refused([payment.id], 'Insufficient balance', available);
      await debit(payment.id, '5000.00');
      expect((await debit(payment.id)).settlement).toBe('debited');
      const { transactions, summary } = dataOf(await stage.door.transactions(test));
      const amounts = transactions.map((one: Json) => [one.type, one.amount, one.balance_after]);
      expect(amounts).toEqual([
        ['debit', '1000.00', '5000.00'],
        ['debit', '5000.00', '5000.00'],
        ['credit', '6000.00', '5000.00'],
      ]);
      expect(summary).toMatchObject({ total_credits: '6000.00', total_debits: '6000.00' });
      expect(await balanceOf(test)).toBe('5000.00');
      expect(await ledgerBreaks(stage.server.running.gateway.platform.sequelize)).toEqual([]);
    });
  });
}
