import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/domain/wallet/verification.ts';
import { dataOf, describeDoors, pixOf, type Stage } from '../doors/door.ts';
import { cancel, eventsOf } from '../doors/rechargeSteps.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { dayMs, hourMs, minuteMs } from '../harness/testClock.ts';
import { Bank, signatureOf } from './bank.ts';
import { operate, paid, path, post, tell } from './bankSteps.ts';
import { describeReturnedPayments } from './returnedPayments.ts';

const bank = new Bank();
const fields = `id provider providerReference reason rechargeId rechargeStatus teamId mode amount rechargeAmount paidAt
  receivedAt settlement settledAt settledBy note`;

async function operatorKeyId(stage: Stage): Promise<string> {
  return (await operate(stage, '{ apiKeys { id } }')).data.apiKeys[0].id;
}

/** The payments of a reference that wait for an operator. */
async function waiting(stage: Stage, reference: string): Promise<Json[]> {
  const { data } = await operate(stage, `{ unsettledPayments(limit: 100) { items { ${fields} } } }`);
  return data.unsettledPayments.items.filter((one: Json) => one.providerReference === reference);
}

describeDoors(
  'payments that the provider tells of',
  (stage) => {
    beforeEach(() => bank.reset());

    const requested = async (amount = '320.00') => {
      const team = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(team.live, pixOf(amount)));
      return { ...team, id };
    };
    const read = async (key: string, id: string) => dataOf(await stage.door.getRecharge(key, id));
    const balanceOf = async (key: string) => dataOf(await stage.door.balance(key)).balance;

    it('are credited once, however often and at once they are told', async () => {
      const { live, id } = await requested();
      const paidAt = stage.clock.isoIn(minuteMs);
      stage.clock.advance(2 * minuteMs);
      const providerReference = randomUUID().padEnd(100, '!~');
      const told = paid(id, { paidAt, amountCents: '32000', providerReference });
      const answers = await Promise.all(Array.from({ length: 5 }, () => tell(stage, told, told)));
      answers.push(await tell(stage, told));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      expect(answers[0]?.body).toEqual({ success: true, data: { received: 2 } });
      expect(await read(live, id)).toMatchObject({ status: 'completed', paid_at: paidAt });
      expect(await balanceOf(live)).toBe('320.00');
      expect(await eventsOf(stage, id)).toEqual([
        'wallet.recharge.pending',
        'wallet.credit',
        'wallet.recharge.completed',
      ]);
      expect(await waiting(stage, told.providerReference)).toEqual([]);
    });

    it('are paid now when no time is told, and not in a future one', async () => {
      const [silent, ahead] = [await requested(), await requested()];
      await tell(stage, paid(silent.id), paid(ahead.id, { paidAt: stage.clock.isoIn(5_000) }));
      for (const { live, id } of [silent, ahead])
        expect((await read(live, id)).paid_at).toBe(stage.clock.now().toISOString());
    });

    it('that failed end their recharge, and nothing that was paid', async () => {
      const { live, id } = await requested();
      await tell(stage, { ...paid(id, { paidAt: stage.clock.isoIn(0) }), outcome: 'failed' });
      expect((await read(live, id)).status).toBe('failed');
      const other = await requested();
      await tell(stage, paid(other.id), { ...paid(other.id), outcome: 'failed' });
      expect((await read(other.live, other.id)).status).toBe('completed');
      expect((await tell(stage, { ...paid('rch_x'), outcome: 'failed' })).status).toBe(200);
    });

    it('made before the recharge was cancelled or failed are credited when they are told after it', async () => {
      const [withdrawn, failed] = [await requested(), await requested()];
      const paidAt = stage.clock.isoIn(minuteMs);
      stage.clock.advance(2 * minuteMs);
      bank.cancels = async () => {
        throw new Error('503');
      };
      dataOf(await cancel(stage, withdrawn.live, withdrawn.id));
      await tell(stage, { ...paid(failed.id), outcome: 'failed' });
      await tell(stage, paid(withdrawn.id, { paidAt }), paid(failed.id, { paidAt }));
      for (const { live, id } of [withdrawn, failed]) {
        expect(await read(live, id)).toMatchObject({ status: 'completed', paid_at: paidAt });
        expect(await balanceOf(live)).toBe('320.00');
      }
      const toCancel = 'SELECT FROM recharges WHERE id = $1 AND charge_to_cancel_at IS NOT NULL';
      expect(await stage.server.query(toCancel, [withdrawn.id])).toEqual([]);
    });

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
        const credit = `mutation { creditPayment(id: "${payment.id}") { ${fields} } }`;
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
        const checks = await verifyLedger(stage.server.running.gateway.platform.sequelize);
        expect(checks.filter((check) => check.break !== null)).toEqual([]);
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
            `mutation ($note: String!) { dismissPayment(id: "${payment.id}", note: $note) { ${fields} } }`,
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
        const { data } = await operate(stage, `{ settledPayments { items { ${fields} } } }`);
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

    describeReturnedPayments(stage);

    it('are to be told again where they have the reference of another recharge’s', async () => {
      const [one, other] = [await requested(), await requested()];
      const told = paid(one.id);
      await tell(stage, told);
      const mistaken = { ...told, rechargeId: other.id };
      expect((await tell(stage, mistaken, told)).status).toBe(500);
      expect((await read(other.live, other.id)).status).toBe('pending');
      const complaint = stage.server.logLines.find((line) => line.includes(other.id));
      expect(complaint).toContain('"level":50');
    });

    it('are counted in the metrics by what came of them', async () => {
      const outcomes = ['credited', 'failed', 'known', 'unsettled'];
      const counts = async () => {
        const { text } = await stage.server.rest('GET', '/metrics');
        return outcomes.map((outcome) => {
          const sample = new RegExp(`^embarque_payment_notices_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm');
          return Number(sample.exec(text)?.[1] ?? 0);
        });
      };
      const before = await counts();
      const [one, other] = [await requested(), await requested()];
      const told = paid(one.id);
      await tell(stage, told, { ...paid(other.id), outcome: 'failed' }, paid('nonsense'), told, told);
      const more = (await counts()).map((count, index) => count - (before[index] as number));
      expect(more).toEqual([1, 1, 2, 1]);
    });

    it('are refused unless the provider signed them', async () => {
      const { live, id } = await requested();
      const forged = await post(stage, JSON.stringify([paid(id)]), { 'X-Bank-Signature': signatureOf('[]') });
      expect(forged).toMatchObject({
        status: 401,
        body: { success: false, error: { code: 'UNAUTHORIZED' } },
      });
      expect((await read(live, id)).status).toBe('pending');
      const elsewhere = await fetch(`${stage.server.url}/callbacks/payments/simulated`, { method: 'POST' });
      expect(elsewhere.status).toBe(404);
      const asked = await fetch(`${stage.server.url}${path}`);
      expect([asked.status, asked.headers.get('Allow')]).toEqual([405, 'POST']);
    });

    it('are taken below the path, too, of which no log tells', async () => {
      for (const below of ['', '/pix', '/unguessable/pix?hmac=unguessable%zz']) {
        const { live, id } = await requested();
        const requestId = randomUUID();
        const told = await post(stage, JSON.stringify([paid(id)]), { 'X-Request-Id': requestId }, below);
        expect(told.status).toBe(200);
        expect((await read(live, id)).status).toBe('completed');
        await eventually(() => stage.server.logLines.some((line) => line.includes(requestId)));
      }
      expect(bank.targets).toEqual(['/', '/pix', '/unguessable/pix?hmac=unguessable%zz']);
      expect(stage.server.logLines.filter((line) => line.includes('unguessable'))).toEqual([]);
      expect((await fetch(`${stage.server.url}${path}/pix`, { method: 'POST' })).status).toBe(401);
      expect((await fetch(`${stage.server.url}${path}x`, { method: 'POST' })).status).toBe(404);
    });

    it('are to be told again where they make no sense, and those told with them are credited', async () => {
      const { live, id } = await requested();
      for (const nonsense of [
        paid(id, { outcome: 'lost' }),
        ...['', ' ', 'a\n', '\x7f', 'x'.repeat(101), 7].map((providerReference) =>
          paid(id, { providerReference }),
        ),
        paid(id, { paidAt: 'yesterday' }),
        paid(id, { paidAt: '-000001-01-01T00:00:00.000Z' }),
        paid(id, { amountCents: '-32000' }),
        paid(id, { amountCents: String(2n ** 63n) }),
        'paid',
      ])
        expect((await tell(stage, nonsense)).status).toBe(500);
      expect((await read(live, id)).status).toBe('pending');
      const paidAt = stage.clock.now().toISOString();
      const between = [
        paid(id, { outcome: 'lost' }),
        paid(id, { amountCents: String(2n ** 63n) }),
        paid(id, { paidAt }),
        paid(id, { amountCents: '-1' }),
      ];
      expect((await tell(stage, ...between)).status).toBe(500);
      expect((await read(live, id)).status).toBe('completed');
      const malformed = await post(stage, '{');
      expect(malformed).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
      expect((await post(stage, 'x'.repeat(1_048_577))).status).toBe(400);
      const told = JSON.stringify([paid(id)]);
      const zipped = await fetch(`${stage.server.url}${path}`, {
        method: 'POST',
        body: gzipSync(told),
        headers: { 'X-Bank-Signature': signatureOf(told), 'Content-Encoding': 'gzip' },
      });
      expect(zipped.status).toBe(400);
    });
  },
  { paymentProvider: bank, inPairs: true },
);
