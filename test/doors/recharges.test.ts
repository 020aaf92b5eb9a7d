import { describe, expect, it } from 'vitest';
import { newIdentifier } from '../../src/infrastructure/identifier.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import type { Stage } from './door.ts';
import {
  badField,
  boletoOf,
  completedRecharge,
  dataOf,
  describeDoors,
  expectRefusal,
  forbidden,
  payLive,
  pixOf,
  rechargeNotFound,
} from './door.ts';
import { documents, outcomeOf } from './graphqlDoor.ts';
import { minuteMs } from './testClock.ts';

const anyRechargeId = expect.stringMatching(/^rch_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
const anyTransactionId = expect.stringMatching(/^txn_[0-7][0-9a-hjkmnp-tv-z]{25}$/);

const ended = (status: string) => ({
  status: 409,
  code: 'VALIDATION_ERROR',
  message: `Recharge already ${status}`,
  details: { field: 'status', type: status },
});

async function cancel({ server }: Stage, key: string | null, id: string) {
  return outcomeOf(await server.graphql(documents.ofRecharge('cancelRecharge'), { id }, key));
}

/** Types of the events about a recharge or its credit, in order. */
async function eventsOf({ server }: Stage, id: string): Promise<string[]> {
  const rows = await server.query<{ type: string }>(
    `SELECT type FROM events WHERE subject_id = $1
        OR subject_id = (SELECT transaction_id FROM recharges WHERE id = $1) ORDER BY sequence`,
    [id],
  );
  return rows.map(({ type }) => type);
}

const becomes = (stage: Stage, key: string, id: string, status: string) =>
  eventually(async () => dataOf(await stage.door.getRecharge(key, id)).status === status);

describeDoors('a recharge', (stage) => {
  describe('requested by PIX', () => {
    it('is pending, with instructions that hold for thirty minutes', async () => {
      const { live } = await stage.server.createTeam();
      const outcome = await stage.door.createRecharge(live, pixOf('1500.50'));
      expect(outcome.status ?? 201).toBe(201);
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

    it.each(['card', 'PIX', 'pix ', '', 1, null])('for the payment method %j', async (method) => {
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
      const input = { amount: 'x', currency: 'USD', payment_method: 'card' };
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

  describe('paid', () => {
    it('is completed now, credited, and told once by each event', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('320.00')));
      stage.clock.advance(minuteMs);
      const paid = await payLive(stage.server, live, id);
      expect(paid.status).toBe(200);
      const read = dataOf(await stage.door.getRecharge(live, id));
      expect(read).toEqual({
        id,
        amount: '320.00',
        currency: 'BRL',
        status: 'completed',
        payment_method: 'pix',
        paid_at: stage.clock.now().toISOString(),
        transaction_id: anyTransactionId,
        created_at: stage.clock.isoIn(-minuteMs),
      });
      expect(dataOf(await stage.door.balance(live)).balance).toBe('320.00');
      expect(await eventsOf(stage, id)).toEqual([
        'wallet.recharge.pending',
        'wallet.credit',
        'wallet.recharge.completed',
      ]);
    });

    it('at a time that the provider names was paid then', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      const paidAt = stage.clock.isoIn(minuteMs);
      stage.clock.advance(5 * minuteMs);
      expect((await payLive(stage.server, live, id, paidAt)).body.data.paid_at).toBe(paidAt);
      expect(dataOf(await stage.door.getRecharge(live, id)).paid_at).toBe(paidAt);
    });

    it('twice, one after the other or ten times at once, is credited once', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      const payments = await Promise.all(Array.from({ length: 10 }, () => payLive(stage.server, live, id)));
      payments.push(await payLive(stage.server, live, id));
      expect(payments.map(({ status }) => status)).toEqual(Array(11).fill(200));
      expect(new Set(payments.map(({ body }) => body.data.transaction_id)).size).toBe(1);
      expect(dataOf(await stage.door.balance(live)).balance).toBe('100.00');
      expect(dataOf(await stage.door.transactions(live)).pagination.total).toBe(1);
      expect(await eventsOf(stage, id)).toHaveLength(3);
    });

    it.each([
      ['a future time', '2026-11-17T12:00:00.001Z'],
      ['a day that does not exist', '2026-02-30T12:00:00.000Z'],
      ['a day without time', '2026-11-17'],
      ['no zone', '2026-11-17T11:00:00.000'],
      ['words', 'yesterday'],
      ['null', null],
      ['a number', 1_790_000_000],
    ])('with %s for paid_at is refused', async (_kind, paidAt) => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      const { status, body } = await payLive(stage.server, live, id, paidAt as string);
      expect([status, body.error?.message, body.error?.details.field]).toEqual([
        400,
        'Invalid request parameters',
        'paid_at',
      ]);
      expect(dataOf(await stage.door.getRecharge(live, id)).status).toBe('pending');
    });
  });

  describe('past its deadline', () => {
    it('expires by itself, is told so once, and cannot be paid any more', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      stage.clock.advance(30 * minuteMs + 1);
      expect((await payLive(stage.server, live, id)).status).toBe(409);
      await becomes(stage, live, id, 'expired');
      const late = await payLive(stage.server, live, id);
      expect([late.status, late.body.error.message]).toEqual([409, 'Recharge already expired']);
      expect(dataOf(await stage.door.balance(live)).balance).toBe('0.00');
      expect(await eventsOf(stage, id)).toEqual(['wallet.recharge.pending', 'wallet.recharge.expired']);
    });

    it('does not expire while it may still be paid', async () => {
      const { live } = await stage.server.createTeam();
      const early = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      stage.clock.advance(1);
      const later = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      stage.clock.set(early.payment.expires_at);
      stage.clock.advance(1);
      await becomes(stage, live, early.id, 'expired');
      expect(dataOf(await stage.door.getRecharge(live, later.id)).status).toBe('pending');
    });

    it('but paid in time completes, however late the confirmation comes', async () => {
      const { live } = await stage.server.createTeam();
      const { id, payment } = dataOf(await stage.door.createRecharge(live, pixOf('450.00')));
      stage.clock.advance(120 * minuteMs);
      await becomes(stage, live, id, 'expired');
      const deadlineMs = Date.parse(payment.expires_at);
      const tooLate = await payLive(stage.server, live, id, new Date(deadlineMs + 1).toISOString());
      expect([tooLate.status, tooLate.body.error.message]).toEqual([409, 'Recharge already expired']);
      const paidAt = new Date(deadlineMs - 1).toISOString();
      expect((await payLive(stage.server, live, id, paidAt)).status).toBe(200);
      expect((await payLive(stage.server, live, id, paidAt)).status).toBe(200);
      expect(dataOf(await stage.door.getRecharge(live, id))).toMatchObject({
        status: 'completed',
        paid_at: paidAt,
        transaction_id: anyTransactionId,
      });
      expect(dataOf(await stage.door.balance(live)).balance).toBe('450.00');
      expect(await eventsOf(stage, id)).toEqual([
        'wallet.recharge.pending',
        'wallet.recharge.expired',
        'wallet.credit',
        'wallet.recharge.completed',
      ]);
    });
  });

  describe('in test mode', () => {
    it.each([
      ['payTest', 'completed', ['wallet.recharge.pending', 'wallet.credit', 'wallet.recharge.completed']],
      ['expireTest', 'expired', ['wallet.recharge.pending', 'wallet.recharge.expired']],
      ['failTest', 'failed', ['wallet.recharge.pending']],
    ] as const)('by %s becomes %s', async (verb, status, events) => {
      const { test } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(test, boletoOf('100.00')));
      const outcome = await stage.door[verb](test, id);
      expect(outcome.status ?? 200).toBe(200);
      expect(dataOf(outcome)).toEqual(dataOf(await stage.door.getRecharge(test, id)));
      expect(dataOf(outcome)).toMatchObject({ id, status });
      expect(Object.keys(dataOf(outcome)).includes('paid_at')).toBe(status === 'completed');
      expect(await eventsOf(stage, id)).toEqual(events);
    });

    it('that has ended does not end again, except that an expired one may turn out to be paid', async () => {
      const { test } = await stage.server.createTeam();
      for (const [verb, status] of [
        ['payTest', 'completed'],
        ['expireTest', 'expired'],
        ['failTest', 'failed'],
      ] as const) {
        const { id } = dataOf(await stage.door.createRecharge(test, pixOf('100.00')));
        dataOf(await stage.door[verb](test, id));
        expectRefusal(await stage.door.expireTest(test, id), ended(status));
        expectRefusal(await stage.door.failTest(test, id), ended(status));
        expectRefusal(await cancel(stage, test, id), ended(status));
        const paid = await stage.door.payTest(test, id);
        if (status === 'failed') expectRefusal(paid, ended('failed'));
        else expect(dataOf(paid).status).toBe('completed');
      }
    });

    it('is out of reach of live keys, whose recharges have no test helpers', async () => {
      const { live, test } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      const { id: ofTest } = dataOf(await stage.door.createRecharge(test, pixOf('100.00')));
      for (const verb of ['payTest', 'expireTest', 'failTest'] as const) {
        for (const one of [id, ofTest]) expectRefusal(await stage.door[verb](live, one), forbidden);
      }
      expect(dataOf(await stage.door.getRecharge(live, id)).status).toBe('pending');
      expect(dataOf(await stage.door.getRecharge(test, ofTest)).status).toBe('pending');
    });
  });

  describe('cancelled by the user', () => {
    it('reads so at both doors, and cannot be paid or cancelled any more', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      expect(dataOf(await cancel(stage, live, id)).status).toBe('cancelled');
      expect(dataOf(await stage.door.getRecharge(live, id)).status).toBe('cancelled');
      const paid = await payLive(stage.server, live, id);
      expect([paid.status, paid.body.error.message]).toEqual([409, 'Recharge already cancelled']);
      expectRefusal(await cancel(stage, live, id), ended('cancelled'));
      expect(dataOf(await stage.door.balance(live)).balance).toBe('0.00');
    });

    it('after it was paid stays completed', async () => {
      const team = await stage.server.createTeam();
      const { id } = await completedRecharge(stage, team, '100.00');
      expectRefusal(await cancel(stage, team.live, id), ended('completed'));
      expect(dataOf(await stage.door.getRecharge(team.live, id)).status).toBe('completed');
    });

    it('while it is being paid ends one way or the other, and is credited if and only if it completed', async () => {
      const { live } = await stage.server.createTeam();
      let credited = 0;
      for (let round = 0; round < 6; round += 1) {
        const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
        const first = round % 2 === 0 ? payLive(stage.server, live, id) : cancel(stage, live, id);
        const second = round % 2 === 0 ? cancel(stage, live, id) : payLive(stage.server, live, id);
        const succeeded = (await Promise.all([first, second])).filter((answer: Json) =>
          'ok' in answer ? answer.ok : answer.status === 200,
        );
        expect(succeeded).toHaveLength(1);
        const { status } = dataOf(await stage.door.getRecharge(live, id));
        expect(['completed', 'cancelled']).toContain(status);
        if (status === 'completed') credited += 1;
      }
      expect(dataOf(await stage.door.balance(live)).balance).toBe(
        `${credited * 100}.00`.replace(/^0+(?=\d)/, ''),
      );
    });
  });
});
