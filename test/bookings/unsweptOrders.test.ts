import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import type { OrderState } from '../../src/infrastructure/flights/order.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, describeSeveralSessions } from '../harness/engines.ts';
import { lockWaits } from '../harness/lockWaits.ts';
import { deferred, never } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';
import { agencyWith, booked } from './bookingSteps.ts';
import { workerStage } from './workerStage.ts';

/** A worker that looks for tasks by itself, or when it is told to. */
function workerOf({ server }: BookingStage): OrderDispatcher {
  const dispatcher = new OrderDispatcher(server.running.gateway.platform);
  onTestFinished(() => dispatcher.stop());
  return dispatcher;
}

describeEngines('A worker that has asked a supplier', (engine) => {
  const stage = workerStage(engine);
  const { airline, clock } = stage;
  beforeEach(() => airline.reset());

  it('asks again for what was left undecided without being told to look', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const worker = workerOf(stage);
    const answer = deferred<OrderState>();
    airline.answers.issue = () => answer.promise;
    const { id } = await booked(stage, live);
    await worker.sweep();
    await eventually(() => airline.askedFor(id, 'issue').length === 1);
    answer.resolve({ state: 'issuing' });
    await eventually(() => {
      clock.advance(250);
      return airline.askedFor(id, 'issue').length > 1;
    });
  });

  it('keeps the order for longer than the supplier may take, and looks for it no sooner', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const worker = workerOf(stage);
    airline.answers.issue = never;
    const { id } = await booked(stage, live);
    const waits: number[] = [];
    const schedule = clock.schedule.bind(clock);
    clock.schedule = (delayMs, action) => {
      waits.push(delayMs);
      return schedule(delayMs, action);
    };
    onTestFinished(() => {
      clock.schedule = schedule;
    });
    await worker.sweep();
    await eventually(() => airline.askedFor(id, 'issue').length === 1);
    await worker.sweep();
    expect(waits).not.toContain(0);
    // An hour is what the supplier may take here.
    const [row] = await stage.server.query<{ outlasts: boolean }>(
      `SELECT order_leased_until > clock_timestamp() + interval '1 hour' AS outlasts FROM bookings WHERE id = $1`,
      [id],
    );
    expect(row?.outlasts).toBe(true);
  });
});

describeSeveralSessions('A worker that stops while it asks a supplier', (engine) => {
  const stage = workerStage(engine);

  it('has stopped once it has written that nobody waits for the answer any more', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const worker = workerOf(stage);
    stage.airline.answers.issue = never;
    const { id } = await booked(stage, live);
    await worker.sweep();
    await eventually(() => stage.airline.askedFor(id, 'issue').length === 1);
    const holder = await stage.server.openSession();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM bookings WHERE id = $1 FOR UPDATE', [id]);
    let hasStopped = false;
    const stopping = worker.stop().then(() => {
      hasStopped = true;
    });
    await eventually(async () => (await lockWaits(stage.server)) === 1);
    expect(hasStopped).toBe(false);
    await holder.query('ROLLBACK');
    await stopping;
    const [row] = await stage.server.query<{ order_token: string }>(
      'SELECT order_token FROM bookings WHERE id = $1',
      [id],
    );
    expect(row?.order_token).toBe('issue');
  });
});
