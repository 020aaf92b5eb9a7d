import { describe, expect, it } from 'vitest';
import { minuteMs } from '../harness/testClock.ts';
import { completedRecharge, dataOf, describeDoors, pixOf } from './door.ts';
import { book } from './walletSteps.ts';

describeDoors('the wallet', (stage) => {
  describe('balance', () => {
    it('of a new live wallet is zero, and nothing has moved yet', async () => {
      const { live } = await stage.server.createTeam();
      expect(dataOf(await stage.door.balance(live))).toEqual({
        balance: '0.00',
        currency: 'BRL',
        available_credit: '0.00',
        pending_amount: '0.00',
        last_transaction_at: null,
      });
    });

    it('counts credits less debits, to the centavo, and says when it last moved', async () => {
      const team = await stage.server.createTeam();
      await completedRecharge(stage, team, '150.25');
      await completedRecharge(stage, team, '100.10');
      stage.clock.advance(minuteMs);
      await book(stage, team.teamId, 'live', { amountCents: 50_36 });
      expect(dataOf(await stage.door.balance(team.live))).toEqual({
        balance: '199.99',
        currency: 'BRL',
        available_credit: '199.99',
        pending_amount: '0.00',
        last_transaction_at: '2026-11-17T12:01:00.000Z',
      });
    });

    it('counts no recharge that is not paid', async () => {
      const { live } = await stage.server.createTeam();
      dataOf(await stage.door.createRecharge(live, pixOf('300.00')));
      expect(dataOf(await stage.door.balance(live))).toMatchObject({ balance: '0.00' });
    });

    it('tells apart what holds reserve from what may be spent', async () => {
      const team = await stage.server.createTeam();
      await completedRecharge(stage, team, '1000.00');
      await book(stage, team.teamId, 'live', { type: 'hold', amountCents: 250_50 });
      expect(dataOf(await stage.door.balance(team.live))).toMatchObject({
        balance: '1000.00',
        available_credit: '749.50',
        pending_amount: '250.50',
      });
    });

    it('in test mode is 5000.00 whatever is credited, debited or held', async () => {
      const { live, test, teamId } = await stage.server.createTeam();
      const always = {
        balance: '5000.00',
        currency: 'BRL',
        available_credit: '5000.00',
        pending_amount: '0.00',
      };
      expect(dataOf(await stage.door.balance(test))).toEqual({ ...always, last_transaction_at: null });
      const { id } = dataOf(await stage.door.createRecharge(test, pixOf('700.00')));
      dataOf(await stage.door.payTest(test, id));
      await book(stage, teamId, 'test', { amountCents: 300_00 });
      await book(stage, teamId, 'test', { type: 'hold', amountCents: 10_00 });
      expect(dataOf(await stage.door.balance(test))).toEqual({
        ...always,
        last_transaction_at: stage.clock.now().toISOString(),
      });
      expect(dataOf(await stage.door.balance(live))).toMatchObject({ balance: '0.00' });
    });
  });
});
