import { describe, expect, it } from 'vitest';
import { scopes } from '../../src/domain/teams/scope.ts';
import { testModeNotice } from '../../src/domain/testMode.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/client.ts';
import { minuteMs } from '../harness/testClock.ts';
import type { Stage } from './door.ts';
import {
  boletoOf,
  completedRecharge,
  dataOf,
  describeDoors,
  expectRefusal,
  expectStatus,
  forbidden,
  payLive,
  pixOf,
} from './door.ts';
import { cancel, eventsOf } from './rechargeSteps.ts';

const anyTransactionId = expect.stringMatching(/^txn_[0-7][0-9a-hjkmnp-tv-z]{25}$/);

const ended = (status: string) => ({
  status: 409,
  code: 'VALIDATION_ERROR',
  message: `Recharge already ${status}`,
  details: { field: 'status', type: status },
});

const becomes = (stage: Stage, key: string, id: string, status: string) =>
  eventually(async () => dataOf(await stage.door.getRecharge(key, id)).status === status);

describeDoors('a requested recharge', (stage) => {
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
      ['a time before it was requested', '2026-11-17T11:59:59.999Z'],
      ['a day that does not exist', '2026-02-30T12:00:00.000Z'],
      ['a day without time', '2026-11-17'],
      ['no zone', '2026-11-17T11:00:00.000'],
      ['another notation', 'Tue, 17 Nov 2026 12:00:00 GMT'],
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

  it('made by another provider is not paid by the simulated one', async () => {
    const { live } = await stage.server.createTeam();
    const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    await stage.server.query(`UPDATE recharges SET provider = 'other' WHERE id = $1`, [id]);
    const { status, body } = await payLive(stage.server, live, id);
    expect([status, body.error.message]).toEqual([404, 'Recharge not found']);
    expect(dataOf(await stage.door.getRecharge(live, id)).status).toBe('pending');
    expect(dataOf(await stage.door.balance(live)).balance).toBe('0.00');
  });

  it('is paid with a key that may write, which the payment counts against', async () => {
    const { teamId, live } = await stage.server.createTeam();
    const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
    const others = scopes.filter((scope) => scope !== 'wallet:write');
    const { secret } = await stage.server.createKey({ kind: 'live', teamId, scopes: others });
    const refused = await payLive(stage.server, secret, id);
    expect([refused.status, refused.body.error.message]).toEqual([403, 'Forbidden']);
    expect(dataOf(await stage.door.getRecharge(live, id)).status).toBe('pending');
    const paid = await payLive(stage.server, live, id);
    expect([paid.status, paid.headers.get('x-ratelimit-limit')]).toEqual([200, '1000000']);
  });

  describe('past its deadline', () => {
    it('expires by itself, is told so once, and cannot be paid any more', async () => {
      const { live } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      stage.clock.advance(30 * minuteMs);
      // It is refused as expired though no sweep may have seen yet that it is.
      const refused = async () => {
        const { status, body } = await payLive(stage.server, live, id);
        expect([status, body.error.message]).toEqual([409, 'Recharge already expired']);
      };
      await refused();
      await becomes(stage, live, id, 'expired');
      await refused();
      expect(dataOf(await stage.door.balance(live)).balance).toBe('0.00');
      expect(await eventsOf(stage, id)).toEqual(['wallet.recharge.pending', 'wallet.recharge.expired']);
    });

    it('does not expire while it may still be paid', async () => {
      const { live } = await stage.server.createTeam();
      const early = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      stage.clock.advance(1);
      const later = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
      stage.clock.set(early.payment.expires_at);
      await becomes(stage, live, early.id, 'expired');
      expect(dataOf(await stage.door.getRecharge(live, later.id)).status).toBe('pending');
    });

    it('but paid in time completes, however late the confirmation comes', async () => {
      const { live } = await stage.server.createTeam();
      const { id, payment } = dataOf(await stage.door.createRecharge(live, pixOf('450.00')));
      stage.clock.advance(120 * minuteMs);
      await becomes(stage, live, id, 'expired');
      const tooLate = await payLive(stage.server, live, id, payment.expires_at);
      expect([tooLate.status, tooLate.body.error.message]).toEqual([409, 'Recharge already expired']);
      const paidAt = new Date(Date.parse(payment.expires_at) - 1).toISOString();
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
      expectStatus(outcome, 200);
      expect(dataOf(outcome)).toEqual(dataOf(await stage.door.getRecharge(test, id)));
      expect(dataOf(outcome)).toMatchObject({ id, status });
      expect(Object.keys(dataOf(outcome)).includes('paid_at')).toBe(status === 'completed');
      expect(await eventsOf(stage, id)).toEqual(events);
    });

    it('is paid by the simulated provider as well, whose answer says that it is a test', async () => {
      const { test } = await stage.server.createTeam();
      const { id } = dataOf(await stage.door.createRecharge(test, pixOf('100.00')));
      const { status, body } = await payLive(stage.server, test, id);
      expect([status, body.data.status, body._meta]).toEqual([200, 'completed', testModeNotice]);
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
      const before = stage.clock.isoIn(0);
      stage.clock.advance(minuteMs);
      expect(dataOf(await cancel(stage, live, id)).status).toBe('cancelled');
      expect(dataOf(await stage.door.getRecharge(live, id)).status).toBe('cancelled');
      for (const paidAt of [undefined, before]) {
        const paid = await payLive(stage.server, live, id, paidAt);
        expect([paid.status, paid.body.error.message]).toEqual([409, 'Recharge already cancelled']);
      }
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
