import { expect, it, onTestFinished } from 'vitest';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { agencyWith, booked, untilStatus } from './bookingSteps.ts';
import { workerStage } from './workerStage.ts';

describeEngines('An order whose issue the supplier refuses', (engine) => {
  const stage = workerStage(engine);

  it('is given up at once, and does not wait for the lease of the issue', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const worker = new OrderDispatcher(stage.server.running.gateway.platform);
    onTestFinished(() => worker.stop());
    stage.airline.answers.issue = async () => ({ state: 'refused', reason: 'sold out' });
    const { id } = await booked(stage, live);
    await worker.sweep();
    await untilStatus(stage, live, id, 'failed');
    await eventually(async () => {
      await worker.sweep();
      return stage.airline.askedFor(id, 'cancel').length > 0;
    });
    expect(stage.airline.askedFor(id, 'issue')).toHaveLength(1);
  });
});
