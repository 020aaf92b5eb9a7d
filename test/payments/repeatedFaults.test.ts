import { beforeEach, expect, it } from 'vitest';
import { dataOf, describeDoors, pixOf } from '../doors/door.ts';
import { cancel } from '../doors/rechargeSteps.ts';
import { eventually } from '../harness/client.ts';
import { Bank } from './bank.ts';
import { twoLooks } from './chargeCancellations.ts';

const bank = new Bank();

describeDoors(
  'A payment provider that is away',
  (stage) => {
    beforeEach(() => bank.reset());

    it('is told of ten times a minute, however many charges it is to cancel', async () => {
      const { live } = await stage.server.createTeam();
      const count = 15;
      bank.cancels = async () => {
        throw new Error('connect ECONNREFUSED 203.0.113.9:443');
      };
      for (let made = 0; made < count; made += 1) {
        const { id } = dataOf(await stage.door.createRecharge(live, pixOf('100.00')));
        dataOf(await cancel(stage, live, id));
      }
      await eventually(() => bank.cancelled.length === count);
      // What came of the last is told by then.
      await twoLooks(stage);
      const told = stage.server.logLines
        .filter((line) => line.includes('charge of a cancelled recharge not cancelled'))
        .map((line) => JSON.parse(line));
      expect(told).toHaveLength(10);
      const asked = bank.cancelled.map(({ rechargeId }) => rechargeId);
      expect(asked).toEqual(expect.arrayContaining(told.map(({ rechargeId }) => rechargeId)));
    });
  },
  { paymentProvider: bank, inPairs: true },
);
