import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyTransition } from '../../src/domain/bookings/change.ts';
import {
  abandonTask,
  claimTasks,
  finishTask,
  type OrderTask,
  postponeTask,
} from '../../src/domain/bookings/orderTask.ts';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { describeEngines } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { bookingOf, fundedTeam } from './writtenBookings.ts';

const undecided = { isAnswered: true, carrierReference: null };

describeEngines('The answer to what a supplier was asked before its booking was cancelled', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  /** A booking of a funded team that is held, and that its supplier is to be asked for. */
  async function held() {
    const { live: walletId } = await fundedTeam(server);
    const booking = await bookingOf(server, walletId, { type: 'hold', amountCents: 400_00 });
    await postBooking(booking, null, server.running.gateway.platform);
    return { id: booking.id, walletId };
  }

  /** What its supplier is to be asked, taken as a worker does. */
  async function claimed(id: string): Promise<OrderTask> {
    const { platform } = server.running.gateway;
    const tasks = await claimTasks(new Map([['simulated', 25]]), 60_000, platform);
    return tasks.find((task) => task.id === id)!;
  }

  it.each([
    ['done', (task: OrderTask, platform: Platform) => finishTask(task, null, platform)],
    [
      'undecided',
      (task: OrderTask, platform: Platform) => postponeTask(task, new Date(0), undecided, platform),
    ],
  ])('%s, settles and delays nothing of the cancellation', async (_answer, write) => {
    const { platform } = server.running.gateway;
    const { id, walletId } = await held();
    const task = await claimed(id);
    expect(task.order_task).toBe('hold');
    expect(await applyTransition('withdraw', { id, walletId }, {}, platform)).not.toBeNull();
    const present = () =>
      server.query('SELECT order_task, order_asked, order_due_at, order_token FROM bookings WHERE id = $1', [
        id,
      ]);
    const [before] = await present();
    expect(before).toMatchObject({ order_task: 'cancel', order_asked: 0, order_token: task.order_token });
    expect(await write(task, platform)).toBe(false);
    expect(await present()).toEqual([before]);
  });

  it('undecided, counts for nothing in how often the cancellation was asked for', async () => {
    const { platform } = server.running.gateway;
    const { id, walletId } = await held();
    expect(await postponeTask(await claimed(id), new Date(0), undecided, platform)).toBe(true);
    expect(await applyTransition('withdraw', { id, walletId }, {}, platform)).not.toBeNull();
    expect(await claimed(id)).toMatchObject({ order_task: 'cancel', order_asked: 0 });
  });

  it('that nobody waits for any more counts for nothing in that either', async () => {
    const { platform } = server.running.gateway;
    const { id, walletId } = await held();
    const task = await claimed(id);
    expect(await applyTransition('withdraw', { id, walletId }, {}, platform)).not.toBeNull();
    await abandonTask(task, platform);
    expect(
      await server.query('SELECT order_task, order_asked, order_token FROM bookings WHERE id = $1', [id]),
    ).toEqual([{ order_task: 'cancel', order_asked: 0, order_token: 'hold' }]);
  });
});
