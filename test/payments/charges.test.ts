import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import type { ChargeRequest } from '../../src/infrastructure/payments/provider.ts';
import { PayerRefused } from '../../src/infrastructure/payments/provider.ts';
import { startServer } from '../../src/server.ts';
import {
  boletoOf,
  dailyLimitExceeded,
  dataOf,
  describeDoors,
  expectRefusal,
  pixOf,
  type Stage,
} from '../doors/door.ts';
import { cancel } from '../doors/rechargeSteps.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { hourMs, minuteMs } from '../harness/testClock.ts';
import { unreadable } from '../harness/unreadable.ts';
import { Bank } from './bank.ts';
import { paid, tell } from './bankSteps.ts';

const bank = new Bank();
const address = {
  street: 'Rua da Praia',
  number: '1000',
  district: 'Centro',
  city: 'Recife',
  state: 'PE',
  postalCode: '50010-000',
};

/** What the bank was asked to cancel of these, in the order in which it was. */
const cancelled = (...ids: string[]) => bank.cancelled.filter(({ rechargeId }) => ids.includes(rechargeId));

/** Resolves when charges to cancel were looked for twice more. */
async function twoLooks({ server }: Stage): Promise<void> {
  const looks = async () => {
    const { text } = await server.rest('GET', '/metrics');
    return Number(/\{sweeper="charge-cancellation",outcome="done"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  const before = await looks();
  await eventually(async () => (await looks()) >= before + 2);
}

/** Whether the charge is known as one without a recharge. */
const isNoted = async ({ server }: Stage, id: string) =>
  (await server.query('SELECT FROM unwritten_charges WHERE recharge_id = $1', [id])).length > 0;

describeDoors(
  'the payment provider',
  (stage) => {
    beforeEach(() => bank.reset());

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
      await twoLooks(stage);
      expect(cancelled(id)).toEqual([]);
      bank.cancels = () => Promise.reject(new Error('503'));
      stage.clock.advance(2 * minuteMs);
      await eventually(() => cancelled(id).length === 1);
      await twoLooks(stage);
      expect(cancelled(id)).toEqual([{ rechargeId: id, mode: 'test', artefacts: null }]);
      bank.cancels = async () => undefined;
      stage.clock.advance(minuteMs);
      await eventually(() => cancelled(id).length === 2);
      await eventually(async () => !(await isNoted(stage, id)));
    });

    it('is asked to cancel the charge of a recharge that could not be written, and of no other', async () => {
      const { live } = await stage.server.createTeam();
      dataOf(await stage.door.createRecharge(live, boletoOf('50000.00')));
      const made: string[] = [];
      const bothMade: (() => void)[] = [];
      bank.charges = async ({ rechargeId }) => {
        made.push(rechargeId);
        // Each fits into what is left of the day, and both do not.
        await new Promise<void>((resolve) => {
          bothMade.push(resolve);
          if (bothMade.length === 2) for (const go of bothMade) go();
        });
        return { method: 'pix', pixCopyPaste: 'code' };
      };
      const request = () => stage.door.createRecharge(live, pixOf('30000.00'));
      const outcomes = await Promise.all([request(), request()]);
      const refused = outcomes.filter(({ ok }) => !ok);
      expect(refused).toHaveLength(1);
      expectRefusal(refused[0]!, dailyLimitExceeded);
      const written = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.data.id as string] : []));
      const [orphan = ''] = made.filter((id) => !written.includes(id));
      expect(await isNoted(stage, written[0]!)).toBe(false);
      stage.clock.advance(2 * minuteMs);
      await eventually(() => cancelled(orphan).length === 1);
      await twoLooks(stage);
      expect(cancelled(...written)).toEqual([]);
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

    it('makes no charge that is refused for the day’s limit', async () => {
      const { live } = await stage.server.createTeam();
      for (let number = 0; number < 2; number += 1)
        dataOf(await stage.door.createRecharge(live, boletoOf('50000.00')));
      let charges = 0;
      bank.charges = async () => {
        charges += 1;
        throw new Error('not to be asked');
      };
      expectRefusal(await stage.door.createRecharge(live, pixOf('100.00')), dailyLimitExceeded);
      expect(charges).toBe(0);
    });

    it('whose adapter never comes to an end with what it tells is answered all the same', async () => {
      bank.reads = () => new Promise(() => undefined);
      expect((await tell(stage, paid('nonsense'))).status).toBe(500);
    });

    it('is not asked for what it does not offer', async () => {
      const { live } = await stage.server.createTeam();
      bank.methods = ['pix'];
      expectRefusal(await stage.door.createRecharge(live, boletoOf('100.00')), {
        status: 422,
        code: 'VALIDATION_ERROR',
        message: 'Payment method not available',
        details: { field: 'payment_method', type: 'not_available' },
      });
      dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    });

    it('is told who pays, as far as that is known', async () => {
      const asked: ChargeRequest[] = [];
      bank.charges = async (request) => {
        asked.push(request);
        return { method: 'pix', pixCopyPaste: 'x' };
      };
      const name = 'Viagens Sol Ltda';
      const { live } = await stage.server.createTeam({ name, taxId: '12.ABC.345/01DE-35', address });
      dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      dataOf(
        await stage.door.createRecharge((await stage.server.createTeam({ name })).live, pixOf('100.00')),
      );
      expect(asked.map(({ payer }) => payer)).toEqual([
        { name, taxId: '12ABC34501DE35', address: { ...address, complement: null, postalCode: '50010000' } },
        { name, taxId: null, address: null },
      ]);
    });

    it.each([
      ['tax_id_required', 'Agency CPF or CNPJ required', 'tax_id_required'],
      ['address_required', 'Agency address required', 'address_required'],
      ['refused', 'Agency refused by payment provider', 'payer_refused'],
    ] as const)(
      'that refuses the payer (%s) is believed until that is mended',
      async (fault, message, type) => {
        const { teamId, live } = await stage.server.createTeam();
        let id = '';
        bank.charges = async ({ rechargeId, payer }) => {
          id = rechargeId;
          if (!payer.taxId || !payer.address) throw new PayerRefused(fault);
          return { method: 'pix', pixCopyPaste: 'x' };
        };
        const details = { field: 'payment_method', type };
        const refusal = { status: 422, code: 'VALIDATION_ERROR', message, details };
        expectRefusal(await stage.door.createRecharge(live, pixOf('100.00')), refusal);
        expect(await stage.server.query('SELECT id FROM recharges WHERE team_id = $1', [teamId])).toEqual([]);
        expect(await isNoted(stage, id)).toBe(false);
        const { body } = await stage.server.graphql(
          'mutation ($id: String!, $input: UpdateTeamInput!) { updateTeam(id: $id, input: $input) { id } }',
          { id: teamId, input: { taxId: '52998224725', address } },
          stage.server.keys.operator,
        );
        expect(body.errors).toBeUndefined();
        expect(dataOf(await stage.door.createRecharge(live, pixOf('100.00'))).status).toBe('pending');
      },
    );

    it.each([
      ['refuses the payer', (cause: Error) => new PayerRefused('refused', { cause })],
      ['fails', (cause: Error) => cause],
    ])('that quotes a CPF when it %s has it blanked in the log', async (_, errorOf) => {
      const { live } = await stage.server.createTeam({ taxId: '52998224725' });
      const quoted = `CPF 529.982.247-25 (52998224725) unknown to the bank, ${randomUUID()}`;
      bank.charges = () => Promise.reject(errorOf(new Error(quoted)));
      expect((await stage.door.createRecharge(live, pixOf('100.00'))).ok).toBe(false);
      const lines = stage.server.logLines.filter((line) => line.includes(quoted.slice(-36)));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain('CPF [redacted] ([redacted]) unknown to the bank');
      expect(stage.server.logLines.join().replace(/[.-]/g, '')).not.toContain('52998224725');
    });

    it.each([
      ['fails', () => Promise.reject(new Error('secret text of the bank'))],
      ['never answers', () => new Promise<never>(() => undefined)],
      ['gives nothing', async () => null as never],
      ['gives no code', async () => ({ method: 'pix' }) as never],
      ['gives a code that is none', async () => ({ method: 'pix', pixCopyPaste: 'a\0b' }) as const],
      [
        'gives another charge than it was asked for',
        async () => ({ method: 'boleto', pixCopyPaste: '1' }) as never,
      ],
      [
        'gives a chargeId that is none',
        async () => ({ method: 'pix', pixCopyPaste: '1', chargeId: { id: 1 } }) as never,
      ],
      ['throws what breaks when it is read', () => Promise.reject(unreadable())],
    ])('that %s leaves nothing behind, and the request may be sent again', async (_, charges) => {
      const { live } = await stage.server.createTeam();
      bank.charges = charges;
      const idempotencyKey = randomUUID();
      const request = () => stage.door.createRecharge(live, pixOf('100.00'), { idempotencyKey });
      const outcome = await request();
      expect(outcome).toMatchObject({
        ok: false,
        error: {
          code: 'INTERNAL_ERROR',
          message: 'Payment provider unavailable',
          details: { type: 'provider_unavailable' },
        },
      });
      bank.charges = async () => ({ method: 'pix', pixCopyPaste: 'x'.repeat(512) });
      expect(dataOf(await request()).status).toBe('pending');
    });

    it('gives more than a charge has, which nobody keeps', async () => {
      const { live } = await stage.server.createTeam();
      const code = { method: 'pix', pixCopyPaste: 'code', chargeId: 'pay_1' } as const;
      const answer: Json = { ...code, raw: 'x'.repeat(1_000_000), cents: 100n, toJSON: () => ({}) };
      answer.self = answer;
      bank.charges = async () => answer as never;
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      const [row] = await stage.server.query('SELECT charge FROM recharges WHERE id = $1', [id]);
      expect(row).toEqual({ charge: code });
    });

    it('gives a code that is another whenever it is read, which is read once', async () => {
      const { live } = await stage.server.createTeam();
      let looks = 0;
      const answer = Object.defineProperty({ method: 'pix' }, 'pixCopyPaste', {
        enumerable: true,
        get() {
          looks += 1;
          return looks === 1 ? 'code' : undefined;
        },
      });
      bank.charges = async () => answer as never;
      const made = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      expect(made.payment.pix_copy_paste).toBe('code');
    });

    it.each([{ barcode: '1'.repeat(43) }, { digitableLine: `${'1'.repeat(46)} ` }, { ourNumber: '' }])(
      'that gives a boleto without its numbers leaves nothing behind: %j',
      async (fault) => {
        const { live } = await stage.server.createTeam();
        const whole = { barcode: '1'.repeat(44), digitableLine: '1'.repeat(47), ourNumber: '14/1-0' };
        bank.charges = async () => ({ method: 'boleto', ...whole, ...fault });
        const refused = await stage.door.createRecharge(live, boletoOf('100.00'));
        expect(refused).toMatchObject({ error: { details: { type: 'provider_unavailable' } } });
        bank.charges = async () => ({ method: 'boleto', ...whole });
        expect(dataOf(await stage.door.createRecharge(live, boletoOf('100.00'))).status).toBe('pending');
      },
    );
  },
  { paymentProvider: bank, settings: { PAYMENT_PROVIDER_TIMEOUT: '300ms' }, inPairs: true },
);

it('A payment provider that offers boletos without an issuer to print on them stops the start with one line', async () => {
  const paymentProvider = Object.assign(new Bank(), { boletoIssuer: undefined });
  const starting = startServer(readSettings({ DATA_DIR: '/dev/null/none' }), { paymentProvider });
  await expect(starting).rejects.toThrow(/^PAYMENT_PROVIDER bank: [^\n]*boletoIssuer[^\n]*$/);
});
