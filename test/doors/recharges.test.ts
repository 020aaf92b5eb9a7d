import { describe, expect, it } from 'vitest';
import { newIdentifier } from '../../src/infrastructure/identifiers/identifier.ts';
import { minuteMs } from '../harness/testClock.ts';
import {
  badField,
  boletoOf,
  dataOf,
  describeDoors,
  expectRefusal,
  expectStatus,
  payLive,
  pixOf,
  rechargeNotFound,
} from './door.ts';
import { cancel, eventsOf } from './rechargeSteps.ts';

const anyRechargeId = expect.stringMatching(/^rch_[0-7][0-9a-hjkmnp-tv-z]{25}$/);

describeDoors('a recharge', (stage) => {
  describe('requested by PIX', () => {
    it('is pending, with instructions that hold for thirty minutes', async () => {
      const { live } = await stage.server.createTeam();
      const outcome = await stage.door.createRecharge(live, pixOf('1500.50'));
      expectStatus(outcome, 201);
      const recharge = dataOf(outcome);
      expect(recharge).toEqual({
        id: anyRechargeId,
        amount: '1500.50',
        currency: 'BRL',
        status: 'pending',
        payment_method: 'pix',
        payment: {
          pix_copy_paste: expect.stringMatching(/^000201.*54071500\.50.*6304[0-9A-F]{4}$/),
          pix_qrcode_url: expect.stringContaining(recharge.id),
          expires_at: stage.clock.isoIn(30 * minuteMs),
        },
        created_at: stage.clock.now().toISOString(),
      });
      expect(await eventsOf(stage, recharge.id)).toEqual(['wallet.recharge.pending']);
    });

    it.each([
      ['100', '100.00'],
      ['100.5', '100.50'],
      ['100.00', '100.00'],
      ['50000', '50000.00'],
      ['49999.99', '49999.99'],
    ])('for "%s" is one of %s', async (amount, echoed) => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf(amount)));
      expect(dataOf(await stage.door.getRecharge(live, id)).amount).toBe(echoed);
    });
  });

  describe('requested by boleto', () => {
    it('is pending, with a bar code of its amount and links', async () => {
      const { live } = await stage.server.createTeam();
      const recharge = dataOf(await stage.door.createRecharge(live, boletoOf('2345.67')));
      expect(recharge).toEqual({
        id: anyRechargeId,
        amount: '2345.67',
        currency: 'BRL',
        status: 'pending',
        payment_method: 'boleto',
        payment: {
          // Due-date factor of 2026-11-23, ten digits of amount in centavos (FEBRABAN bar code, positions 6 to 19).
          boleto_barcode: expect.stringMatching(/^\d{5}16390000234567\d{25}$/),
          boleto_url: expect.stringContaining(recharge.id),
          boleto_pdf_url: expect.stringContaining(`${recharge.id}.pdf`),
          expires_at: '2026-11-24T02:59:59.000Z',
        },
        created_at: stage.clock.now().toISOString(),
      });
    });

    it.each([
      ['a Monday', '2026-11-23T12:00:00.000Z', '2026-11-27T02:59:59.000Z'],
      ['a Friday', '2026-12-04T12:00:00.000Z', '2026-12-10T02:59:59.000Z'],
      ['a Saturday', '2026-12-05T12:00:00.000Z', '2026-12-10T02:59:59.000Z'],
      [
        'an evening in São Paulo that is the next UTC day',
        '2026-12-02T01:30:00.000Z',
        '2026-12-05T02:59:59.000Z',
      ],
      ['the eve of a holiday', '2026-12-24T12:00:00.000Z', '2026-12-31T02:59:59.000Z'],
      ['the Friday before Carnival', '2027-02-05T12:00:00.000Z', '2027-02-13T02:59:59.000Z'],
    ])('on %s expires at the end of the third bank business day', async (_day, now, expiresAt) => {
      stage.clock.set(now);
      const { live } = await stage.server.createTeam();
      const recharge = dataOf(await stage.door.createRecharge(live, boletoOf('100.00')));
      expect(recharge.payment.expires_at).toBe(expiresAt);
    });
  });

  describe('refused', () => {
    const invalid = 'Invalid request parameters';
    it.each([
      ['99.99', 'too_small', 'Minimum amount is R$ 100.00'],
      ['0', 'too_small', 'Minimum amount is R$ 100.00'],
      ['50000.01', 'too_large', 'Maximum amount is R$ 50000.00'],
      ['9999999999.99', 'too_large', 'Maximum amount is R$ 50000.00'],
      ['10000000000', 'invalid', invalid],
      ['1e3', 'invalid', invalid],
      ['100.005', 'invalid', invalid],
      [' 100.00', 'invalid', invalid],
      ['100.00\n', 'invalid', invalid],
      ['0100.00', 'invalid', invalid],
      ['+100.00', 'invalid', invalid],
      ['-100.00', 'invalid', invalid],
      ['100,00', 'invalid', invalid],
      ['٣٠٠', 'invalid', invalid],
      ['', 'invalid', invalid],
      ['1'.repeat(400), 'invalid', invalid],
      [100, 'invalid', invalid],
      [true, 'invalid', invalid],
      [['100.00'], 'invalid', invalid],
      [{ value: '100.00' }, 'invalid', invalid],
      [null, 'required', invalid],
      [undefined, 'required', invalid],
    ])('for the amount %j', async (amount, type, message) => {
      const input = { ...pixOf(''), amount };
      const outcome = await stage.door.createRecharge(stage.server.keys.live, input);
      expectRefusal(outcome, badField('amount', type, message));
    });

    it.each(['cheque', 'PIX', 'pix ', '', 1, null])('for the payment method %j', async (method) => {
      const input = { ...pixOf('100.00'), payment_method: method };
      const outcome = await stage.door.createRecharge(stage.server.keys.live, input);
      const [type, message] = method === null ? ['required', invalid] : ['invalid', 'Invalid payment method'];
      expectRefusal(outcome, badField('payment_method', type as string, message));
    });

    it.each(['USD', 'brl', '', 986, null])('for the currency %j', async (currency) => {
      const outcome = await stage.door.createRecharge(stage.server.keys.live, {
        ...pixOf('100.00'),
        currency,
      });
      const [type, message] = currency === null ? ['required', invalid] : ['invalid', 'Invalid currency'];
      expectRefusal(outcome, badField('currency', type as string, message));
    });

    it('with every bad field named', async () => {
      const input = { amount: 'x', currency: 'USD', payment_method: 'cheque' };
      const errors = Object.keys(input).map((field) => ({ field, type: 'invalid' }));
      const outcome = await stage.door.createRecharge(stage.server.keys.live, input);
      expectRefusal(outcome, { ...badField('amount', 'invalid'), details: { errors } });
    });
  });

  describe('read', () => {
    it('while pending has no payment time and no transaction', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, boletoOf('100.00')));
      expect(dataOf(await stage.door.getRecharge(live, id))).toEqual({
        id,
        amount: '100.00',
        currency: 'BRL',
        status: 'pending',
        payment_method: 'boleto',
        created_at: stage.clock.now().toISOString(),
      });
    });

    it.each([
      'rch_01jd3v5w7kehxa1m4b9qk0t2zc',
      newIdentifier('txn'),
      'rch_',
      'rch_01JD3V5W7KEHXA1M4B9QK0T2ZC',
      '1',
      'null',
    ])('is not found as %s', async (id) => {
      const { test } = stage.server.keys;
      for (const call of [
        stage.door.getRecharge,
        stage.door.payTest,
        stage.door.expireTest,
        stage.door.failTest,
      ]) {
        expectRefusal(await call(test, id), rechargeNotFound);
      }
      expectRefusal(await cancel(stage, test, id), rechargeNotFound);
      expect((await payLive(stage.server, test, id)).status).toBe(404);
    });

    it('is not found by another team, nor by the other mode of its own', async () => {
      const team = await stage.server.createTeam();
      const stranger = await stage.server.createTeam();
      const { id: ofLive } = dataOf(await stage.door.createRecharge(team.live, pixOf('100.00')));
      const { id: ofTest } = dataOf(await stage.door.createRecharge(team.test, pixOf('100.00')));
      for (const [key, id] of [
        [stranger.live, ofLive],
        [team.test, ofLive],
        [stranger.test, ofTest],
        [team.live, ofTest],
      ] as const) {
        expectRefusal(await stage.door.getRecharge(key, id), rechargeNotFound);
        expectRefusal(await cancel(stage, key, id), rechargeNotFound);
        expect((await payLive(stage.server, key, id)).body.error.message).toBe('Recharge not found');
      }
      for (const key of [stranger.test, team.test]) {
        for (const verb of ['payTest', 'expireTest', 'failTest'] as const) {
          expectRefusal(await stage.door[verb](key, ofLive), rechargeNotFound);
        }
      }
      expect(dataOf(await stage.door.getRecharge(team.live, ofLive)).status).toBe('pending');
      expect(dataOf(await stage.door.getRecharge(team.test, ofTest)).status).toBe('pending');
    });
  });
});
