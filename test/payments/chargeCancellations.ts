import { expect, it } from 'vitest';
import { dataOf, pixOf, type Stage } from '../doors/door.ts';
import { cancel } from '../doors/rechargeSteps.ts';
import { eventually } from '../harness/client.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { hourMs, minuteMs } from '../harness/testClock.ts';
import type { Bank } from './bank.ts';
import { isNoted, paid, tell } from './bankSteps.ts';

/** Resolves when charges to cancel were looked for twice more. */
export const twoLooks = ({ server }: Stage) => sweptTwice(server.url, 'charge-cancellation');

/** How long the bank has for an answer, in milliseconds. */
export const bankTimeoutMs = 300;

/** How charges that nobody may pay any more are made unpayable, as part of what is asked of a payment provider. */
export function describeChargeCancellations(stage: Stage, bank: Bank): void {
  /** What the bank was asked to cancel of these, in the order in which it was. */
  const cancelled = (...ids: string[]) => bank.cancelled.filter(({ rechargeId }) => ids.includes(rechargeId));

  it('makes the charges of its cancelled recharges unpayable, asked each minute until it has', async () => {
    const { live } = await stage.server.createTeam();
    const request = async () => dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    const [stubborn, other, foreign, failed] = [
      await request(),
      await request(),
      await request(),
      await request(),
    ];
    bank.cancels = async ({ rechargeId }) => {
      if (rechargeId === stubborn.id) throw new Error('503');
    };
    await stage.server.query(`UPDATE recharges SET provider = 'other' WHERE id = $1`, [foreign.id]);
    await tell(stage, { ...paid(failed.id), outcome: 'failed' });
    for (const { id } of [foreign, stubborn, other]) dataOf(await cancel(stage, live, id));
    const asked = () =>
      cancelled(stubborn.id, other.id, foreign.id, failed.id)
        .map(({ rechargeId }) => rechargeId)
        .sort();
    await eventually(() => asked().length >= 2);
    await twoLooks(stage);
    expect(asked()).toEqual([stubborn.id, other.id].sort());
    expect(cancelled(other.id)[0]).toMatchObject({
      mode: 'live',
      artefacts: { method: 'pix', pixCopyPaste: other.payment.pix_copy_paste },
    });
    bank.cancels = async () => undefined;
    stage.clock.advance(minuteMs);
    await eventually(async () => {
      const left = `SELECT FROM recharges WHERE charge_to_cancel_at IS NOT NULL AND provider = 'bank'`;
      return (await stage.server.query(left)).length === 0;
    });
    expect(asked()).toEqual([stubborn.id, stubborn.id, other.id].sort());
  });

  it('is asked less and less often for what it never makes unpayable', async () => {
    const { live } = await stage.server.createTeam();
    const charge = { method: 'pix', pixCopyPaste: 'code', chargeId: 'pay_080225913252' } as const;
    bank.charges = async () => charge;
    const { id, payment } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    expect(JSON.stringify(payment)).not.toContain(charge.chargeId);
    bank.cancels = () => Promise.reject(new Error('422'));
    dataOf(await cancel(stage, live, id));
    await eventually(() => cancelled(id).length === 1);
    expect(cancelled(id)[0]?.artefacts).toEqual(charge);
    stage.clock.advance(10 * hourMs);
    await eventually(() => cancelled(id).length === 2);
    stage.clock.advance(hourMs - minuteMs);
    await twoLooks(stage);
    expect(cancelled(id)).toHaveLength(2);
    bank.cancels = async () => undefined;
    stage.clock.advance(minuteMs);
    await eventually(() => cancelled(id).length === 3);
  });

  it('is asked for none of those that were cancelled while it could not make them unpayable, once it can', async () => {
    const { live } = await stage.server.createTeam();
    const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    Object.defineProperty(bank, 'cancelCharge', { value: undefined, configurable: true });
    try {
      dataOf(await cancel(stage, live, id));
    } finally {
      Reflect.deleteProperty(bank, 'cancelCharge');
    }
    const other = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    stage.clock.advance(minuteMs);
    dataOf(await cancel(stage, live, other.id));
    await eventually(() => cancelled(other.id).length === 1);
    await twoLooks(stage);
    expect(cancelled(id)).toEqual([]);
  });

  it('is asked no more to make a charge unpayable that turns out to have been paid', async () => {
    const { live } = await stage.server.createTeam();
    const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    const paidAt = stage.clock.now().toISOString();
    bank.cancels = () => Promise.reject(new Error('already paid'));
    stage.clock.advance(minuteMs);
    dataOf(await cancel(stage, live, id));
    await eventually(() => cancelled(id).length === 1);
    await tell(stage, paid(id, { paidAt }));
    expect(dataOf(await stage.door.getRecharge(live, id)).status).toBe('completed');
    stage.clock.advance(hourMs);
    await twoLooks(stage);
    expect(cancelled(id)).toHaveLength(1);
  });

  it.each([
    ['answers nothing about', () => new Promise<never>(() => undefined)],
    ['is cut off from us about', () => Promise.reject(new Error('connection reset'))],
    ['gives no code for', async () => ({ method: 'pix' }) as never],
  ])('is asked to cancel a charge that it %s, once it may have been made', async (_, charges) => {
    const { test: key } = await stage.server.createTeam();
    let id = '';
    bank.charges = ({ rechargeId }) => {
      id = rechargeId;
      return charges();
    };
    expect((await stage.door.createRecharge(key, pixOf('100.00'))).ok).toBe(false);
    // All the time that the bank has for its answer, and a minute in which the recharge may still be written.
    stage.clock.advance(bankTimeoutMs + minuteMs - 1);
    await twoLooks(stage);
    expect(cancelled(id)).toEqual([]);
    bank.cancels = () => Promise.reject(new Error('503'));
    stage.clock.advance(1);
    await eventually(() => cancelled(id).length === 1);
    await twoLooks(stage);
    expect(cancelled(id)).toEqual([{ rechargeId: id, mode: 'test', artefacts: null }]);
    bank.cancels = async () => undefined;
    stage.clock.advance(minuteMs);
    await eventually(() => cancelled(id).length === 2);
    await eventually(async () => !(await isNoted(stage, id)));
  });

  // It would know nothing of it, which is as good as cancelled, and the other one's charge stay payable.
  it('is not asked to cancel what another provider may have made for no recharge', async () => {
    const { live } = await stage.server.createTeam();
    const asked: string[] = [];
    bank.charges = async ({ rechargeId }) => {
      asked.push(rechargeId);
      throw new Error('the connection was cut');
    };
    for (const amount of ['100.00', '200.00'])
      expect((await stage.door.createRecharge(live, pixOf(amount))).ok).toBe(false);
    const [own = '', foreign = ''] = asked;
    await stage.server.query(`UPDATE unwritten_charges SET provider = 'other' WHERE recharge_id = $1`, [
      foreign,
    ]);
    stage.clock.advance(2 * minuteMs);
    await eventually(() => cancelled(own).length === 1);
    await eventually(async () => !(await isNoted(stage, own)));
    await twoLooks(stage);
    expect(cancelled(foreign)).toEqual([]);
    expect(await isNoted(stage, foreign)).toBe(true);
  });

  it('writes no recharge for a charge that is being cancelled', async () => {
    const { live } = await stage.server.createTeam();
    let id = '';
    bank.charges = async ({ rechargeId }) => {
      id = rechargeId;
      await stage.server.query('UPDATE unwritten_charges SET times_cancelled = 1 WHERE recharge_id = $1', [
        id,
      ]);
      return { method: 'pix', pixCopyPaste: 'code' };
    };
    const refused = await stage.door.createRecharge(live, pixOf('100.00'));
    expect(refused).toMatchObject({ error: { details: { type: 'provider_unavailable' } } });
    expect((await stage.door.getRecharge(live, id)).ok).toBe(false);
    expect(await isNoted(stage, id)).toBe(true);
  });
}
