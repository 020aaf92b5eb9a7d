import { describe, expect, it } from 'vitest';
import { dataOf, type Stage } from '../doors/door.ts';
import { cancel } from '../doors/rechargeSteps.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { ledgerBreaks } from '../harness/ledger.ts';
import { dayMs, hourMs, minuteMs } from '../harness/testClock.ts';
import { operate, paid, paymentFields, rechargesOn, tell, waiting } from './bankSteps.ts';

async function operatorKeyId(stage: Stage): Promise<string> {
  return (await operate(stage, '{ apiKeys { id } }')).data.apiKeys[0].id;
}

/** What operators do about money that fits no rule, as part of what a bank's callbacks bring about. */
export function describeUnsettledPayments(stage: Stage): void {
  const { requested, read, balanceOf } = rechargesOn(stage);
  describe('and that cannot be credited', () => {
    async function expectUnsettled(told: Json, expected: Json): Promise<Json> {
      expect((await tell(stage, told)).status).toBe(200);
      expect((await tell(stage, told)).status).toBe(200);
      const [payment, ...others] = await waiting(stage, told.providerReference);
      expect(others).toEqual([]);
      const waits = { provider: 'bank', settlement: null, settledAt: null, settledBy: null };
      expect(payment).toMatchObject({ ...waits, ...expected });
      const complaint = stage.server.logLines.filter((line) => line.includes(payment.id));
      expect(complaint).toHaveLength(1);
      return payment;
    }

    it('wait for an operator: of a recharge that nobody requested', async () => {
      for (const rechargeId of ['rch_01jd4yhz1je5j8v2r0h3m6x9qj', 'nonsense'])
        await expectUnsettled(paid(rechargeId, { amountCents: '5000' }), {
          reason: 'unknown_recharge',
          rechargeId,
          teamId: null,
          rechargeStatus: null,
          amount: '50.00',
          rechargeAmount: null,
        });
      await expectUnsettled(paid('ç\0'), { reason: 'unknown_recharge', rechargeId: null });
    });

    it('wait for an operator: of a recharge that another provider charges', async () => {
      const { live, id } = await requested();
      await stage.server.query(`UPDATE recharges SET provider = 'other' WHERE id = $1`, [id]);
      const unknown = { reason: 'unknown_recharge', rechargeId: id, teamId: null, rechargeStatus: null };
      await expectUnsettled(paid(id), unknown);
      await tell(stage, { ...paid(id), outcome: 'failed' });
      expect((await read(live, id)).status).toBe('pending');
    });

    it.each([
      ['31999', '319.99'],
      ['32001', '320.01'],
      ['0', '0.00'],
    ])('wait for an operator, who cannot credit them: of %s centavos', async (amountCents, amount) => {
      const { live, id, teamId } = await requested();
      const payment = await expectUnsettled(paid(id, { amountCents }), {
        reason: 'wrong_amount',
        rechargeId: id,
        teamId,
        mode: 'live',
        rechargeStatus: 'pending',
        amount,
        rechargeAmount: '320.00',
      });
      const body = await operate(stage, `mutation { creditPayment(id: "${payment.id}") { id } }`);
      expect(body.errors[0].extensions.details).toEqual({ field: 'id', type: 'wrong_amount' });
      expect(await waiting(stage, payment.providerReference)).toEqual([payment]);
      expect((await read(live, id)).status).toBe('pending');
    });

    it('wait for an operator: of a recharge that another payment completed', async () => {
      const { live, id } = await requested();
      await tell(stage, paid(id));
      const { id: paymentId } = await expectUnsettled(paid(id), { reason: 'already_completed' });
      const body = await operate(stage, `mutation { creditPayment(id: "${paymentId}") { id } }`);
      expect(body.errors[0]).toMatchObject({
        message: 'Payment cannot be credited',
        extensions: { code: 'VALIDATION_ERROR', details: { field: 'id', type: 'already_completed' } },
      });
      expect(await balanceOf(live)).toBe('320.00');
    });

    it('wait for an operator: made after the expiry, though no sweep has seen that yet', async () => {
      const { id } = await requested();
      stage.clock.advance(hourMs);
      await expectUnsettled(paid(id), { reason: 'paid_late' });
    });

    it.each([
      ['made after the expiry', 'paid_late', 'expired'],
      ['made at the moment of the cancellation', 'ended', 'cancelled'],
    ])('wait for an operator, who credits them: %s', async (_, reason, status) => {
      const { live, id } = await requested();
      if (status === 'cancelled') dataOf(await cancel(stage, live, id));
      // Into the next day, whose limit it must not count for.
      else stage.clock.advance(13 * hourMs);
      if (status === 'expired') await eventually(async () => (await read(live, id)).status === 'expired');
      const payment = await expectUnsettled(paid(id), { reason, rechargeStatus: status });
      expect(await balanceOf(live)).toBe('0.00');
      const credit = `mutation { creditPayment(id: "${payment.id}") { ${paymentFields} } }`;
      const now = stage.clock.now().toISOString();
      expect((await operate(stage, credit)).data.creditPayment).toEqual({
        ...payment,
        rechargeStatus: 'completed',
        settlement: 'credited',
        settledAt: now,
        settledBy: await operatorKeyId(stage),
      });
      expect(await read(live, id)).toMatchObject({ status: 'completed', paid_at: now });
      expect(await balanceOf(live)).toBe('320.00');
      const told = await stage.server.query(
        `SELECT data #>> '{previous_attributes,status}' AS before FROM events
            WHERE subject_id = $1 AND type = 'wallet.recharge.completed'`,
        [id],
      );
      expect(told).toEqual([{ before: status }]);
      expect(await waiting(stage, payment.providerReference)).toEqual([]);
      expect((await operate(stage, credit)).errors[0]).toMatchObject({
        message: 'Payment already settled',
      });
      expect(await balanceOf(live)).toBe('320.00');
      expect(await ledgerBreaks(stage.server.running.gateway.platform.sequelize)).toEqual([]);
    });

    it('wait for an operator: taken back after they were credited, which nobody can credit', async () => {
      const { live, id, teamId } = await requested();
      const first = paid(id);
      await tell(stage, first);
      const payment = await expectUnsettled(
        { ...first, outcome: 'returned', paidAt: stage.clock.now().toISOString(), amountCents: '12000' },
        {
          reason: 'returned',
          teamId,
          rechargeStatus: 'completed',
          amount: '120.00',
          rechargeAmount: '320.00',
        },
      );
      const body = await operate(stage, `mutation { creditPayment(id: "${payment.id}") { id } }`);
      expect(body.errors[0].extensions.details).toEqual({ field: 'id', type: 'returned' });
      expect(await balanceOf(live)).toBe('320.00');
      expect((await read(live, id)).status).toBe('completed');
      const dismissed = `mutation { dismissPayment(id: "${payment.id}", note: "MED") { settlement } }`;
      expect((await operate(stage, dismissed)).data.dismissPayment).toEqual({ settlement: 'dismissed' });
    });

    it('wait for an operator, who puts them aside with a note', async () => {
      const payment = await expectUnsettled(paid('nonsense'), { reason: 'unknown_recharge' });
      const dismiss = (note: string) =>
        operate(
          stage,
          `mutation ($note: String!) { dismissPayment(id: "${payment.id}", note: $note) { ${paymentFields} } }`,
          { note },
        );
      for (const note of [' ', 'x'.repeat(501), 'a\0b', 'a\ud800b'])
        expect((await dismiss(note)).errors[0].extensions.details).toMatchObject({ field: 'note' });
      const note = 'given back'.padEnd(500, '.');
      stage.clock.advance(minuteMs);
      const settledBy = await operatorKeyId(stage);
      const settledAt = stage.clock.now().toISOString();
      const dismissed = { ...payment, settlement: 'dismissed', settledAt, settledBy, note };
      expect((await dismiss(note)).data.dismissPayment).toEqual(dismissed);
      const complaint = stage.server.logLines.find((line) =>
        line.includes(`"noticeId":"${payment.id}","settl`),
      );
      expect(complaint).toContain(settledBy);
      const { data } = await operate(stage, `{ settledPayments { items { ${paymentFields} } } }`);
      expect(data.settledPayments.items).toContainEqual(dismissed);
      const latestFirst = data.settledPayments.items.map((one: Json) => one.settledAt);
      expect(latestFirst).toEqual([...latestFirst].sort().reverse());
      expect((await dismiss('again')).errors[0].message).toBe('Payment already settled');
      for (const unknown of ['pay_01jd4yhz1je5j8v2r0h3m6x9qj', '\\u0000']) {
        const { errors } = await operate(stage, `mutation { creditPayment(id: "${unknown}") { id } }`);
        expect(errors[0].message).toBe('Payment not found');
      }
    });

    it('are listed by pages: the oldest first that wait, the latest first that are settled', async () => {
      // Later than all others.
      stage.clock.advance(365 * dayMs);
      await tell(stage, paid((await requested()).id));
      for (const rechargeId of ['first', 'second', 'third']) {
        stage.clock.advance(minuteMs);
        await tell(stage, paid(rechargeId));
      }
      const page = async (name: string, limit: number, number: number) => {
        const document = `{ ${name}(limit: ${limit}, page: ${number}) {
            items { id rechargeId } pagination { total }
          } }`;
        const { items, pagination } = (await operate(stage, document)).data[name];
        return { items, total: pagination.total };
      };
      const waitingNow = await page('unsettledPayments', 100, 1);
      expect(waitingNow.items).toHaveLength(waitingNow.total);
      const [first, second, third] = waitingNow.items.slice(-3);
      expect([first, second, third].map((one) => one.rechargeId)).toEqual(['first', 'second', 'third']);
      const { total } = waitingNow;
      expect(await page('unsettledPayments', 1, total)).toEqual({ items: [third], total });
      const dismiss = async ({ id }: Json) => {
        stage.clock.advance(minuteMs);
        await operate(stage, `mutation { dismissPayment(id: "${id}", note: "given back") { id } }`);
      };
      await dismiss(first);
      await dismiss(second);
      const settled = await page('settledPayments', 100, 1);
      expect(settled.items).toHaveLength(settled.total);
      const [latest, other] = settled.items.filter(({ id }: Json) => [first.id, second.id].includes(id));
      expect([latest, other]).toEqual([second, first]);
      expect(settled.items).not.toContainEqual(third);
      const place = settled.items.indexOf(other);
      expect((await page('settledPayments', 1, place + 1)).items).toEqual([first]);
      await dismiss(third);
    });
  });
}
