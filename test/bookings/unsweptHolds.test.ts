import { expect, it } from 'vitest';
import { dataOf, expectRefusal } from '../doors/door.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { agencyWith, held, moneyOf, unprocessable } from './bookingSteps.ts';
import { workerStage } from './workerStage.ts';

describeOneEngine('A hold that no sweep has found yet', (engine) => {
  const stage = workerStage(engine);

  it('is confirmed before the time that it must be paid by, and no more from then on', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const { id, payment_required_by: deadline } = await held(stage, live);
    stage.clock.set(deadline);
    expectRefusal(
      await stage.door.confirmBooking(live, id),
      unprocessable('Offer expired', 'OFFER_EXPIRED', { booking_id: id, payment_required_by: deadline }),
    );
    expect(dataOf(await stage.door.getBooking(live, id)).status).toBe('pending');
    expect(await moneyOf(stage.door, live)).toEqual(['1000.00', '600.00', '400.00']);
    stage.clock.advance(-1);
    expect(dataOf(await stage.door.confirmBooking(live, id)).status).toBe('confirmed');
  });
});
