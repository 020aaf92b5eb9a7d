import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import type { ChargeRequest } from '../../src/infrastructure/payments/provider.ts';
import { type PayerFault, PayerRefused } from '../../src/infrastructure/payments/provider.ts';
import { startServer } from '../../src/server.ts';
import { boletoOf, dailyLimitExceeded, dataOf, describeDoors, expectRefusal, pixOf } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import { unreadable } from '../harness/unreadable.ts';
import { Bank } from './bank.ts';
import { isNoted, paid, tell } from './bankSteps.ts';
import { bankTimeoutMs, describeChargeCancellations } from './chargeCancellations.ts';

const bank = new Bank();
const address = {
  street: 'Rua da Praia',
  number: '1000',
  district: 'Centro',
  city: 'Recife',
  state: 'PE',
  postalCode: '50010-000',
};

describeDoors(
  'the payment provider',
  (stage) => {
    beforeEach(() => bank.reset());

    describeChargeCancellations(stage, bank);

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
      ['of a name that is none of ours', 'Agency refused by payment provider', 'payer_refused'],
    ])('that refuses the payer (%s) is believed until that is mended', async (fault, message, type) => {
      const { teamId, live } = await stage.server.createTeam();
      let id = '';
      bank.charges = async ({ rechargeId, payer }) => {
        id = rechargeId;
        if (!payer.taxId || !payer.address) throw new PayerRefused(fault as PayerFault);
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
    });

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

    it('that answers megabytes leaves the beginning and the end of them in the log', async () => {
      const { live } = await stage.server.createTeam();
      stage.server.logLines.length = 0;
      bank.charges = async () => {
        const cause = new Error(`<html>${'x'.repeat(2_000_000)}</html>`);
        throw new Error(`answered 503, ${'529.982.247-25 '.repeat(100_000)}, and no more`, { cause });
      };
      expect((await stage.door.createRecharge(live, pixOf('100.00'))).ok).toBe(false);
      const [line = ''] = stage.server.logLines.filter((one) => one.includes('made no charge'));
      expect(line.length).toBeLessThan(40_000);
      for (const kept of ['answered 503', ' characters …]', '</html>', 'charges.test.ts'])
        expect(line).toContain(kept);
      // The line's time and id may have any digits.
      expect(JSON.stringify(JSON.parse(line).err)).not.toMatch(/529|247-25/);
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
  { paymentProvider: bank, settings: { PAYMENT_PROVIDER_TIMEOUT: `${bankTimeoutMs}ms` }, inPairs: true },
);

it('A payment provider that offers boletos without an issuer to print on them stops the start with one line', async () => {
  const paymentProvider = Object.assign(new Bank(), { boletoIssuer: undefined });
  const starting = startServer(readSettings({ DATA_DIR: '/dev/null/none' }), { paymentProvider });
  await expect(starting).rejects.toThrow(/^PAYMENT_PROVIDER bank: [^\n]*boletoIssuer[^\n]*$/);
});
