import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import type { OrderState } from '../../src/infrastructure/flights/order.ts';
import { dataOf } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { deferred, ticketed } from './airline.ts';
import { agencyWith, booked, held, untilAsked } from './bookingSteps.ts';
import { workerStage } from './workerStage.ts';

describeEngines('An order that a supplier was asked for by a worker that stops', (engine) => {
  const stage = workerStage(engine);
  const { clock, airline } = stage;
  beforeEach(() => airline.reset());

  /** A worker that looks for tasks only when it is told to. */
  function worker(): OrderDispatcher {
    const { platform } = stage.server.running.gateway;
    const dispatcher = new OrderDispatcher(platform);
    onTestFinished(() => dispatcher.stop());
    return dispatcher;
  }

  /** An answer that the airline gives when the test likes, at its end at the latest. */
  function answerOf(method: 'hold' | 'issue') {
    const answer = deferred<OrderState>();
    airline.answers[method] = () => answer.promise;
    onTestFinished(() => answer.resolve({ state: method === 'hold' ? 'held' : 'issuing' }));
    return answer;
  }

  const asked = (id: string) =>
    airline.asked.filter(({ request }) => request.bookingId === id).map(({ method }) => method);

  /** Whatever was due before has been asked for by then, or waits for something else. */
  async function untilLookedFor(key: string, look: () => Promise<unknown>): Promise<void> {
    const { id } = await booked(stage, key);
    await eventually(async () => {
      clock.advance(250);
      await look();
      return asked(id).length > 0;
    });
  }

  async function untilAskedOnce(id: string, by: OrderDispatcher): Promise<void> {
    await by.sweep();
    await eventually(() => asked(id).length === 1);
  }

  const untilAskedAgain = (id: string, by: OrderDispatcher) =>
    eventually(async () => {
      await by.sweep();
      return asked(id).length > 1;
    });

  const lapse = (id: string) =>
    stage.server.query('UPDATE bookings SET order_leased_until = clock_timestamp() WHERE id = $1', [id]);

  it.each(['before', 'after'])(
    'and that is cancelled %s the stop is not given up by another worker while it may still be issued',
    async (when) => {
      const { live } = await agencyWith(stage, '1000.00');
      const [first, second] = [worker(), worker()];
      answerOf('issue');
      const { id } = await booked(stage, live);
      await untilAskedOnce(id, first);
      if (when === 'after') await first.stop();
      dataOf(await stage.door.cancelBooking(live, id));
      await first.stop();
      await untilLookedFor(live, () => second.sweep());
      expect(asked(id)).toEqual(['issue']);
      await lapse(id);
      await untilAskedAgain(id, second);
      expect(asked(id)).toEqual(['issue', 'cancel']);
    },
  );

  it('and that was not asked for yet is free: a cancellation does not wait for its lease', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const [first, second] = [worker(), worker()];
    const { id } = await booked(stage, live);
    const taking = first.sweep();
    await first.stop();
    await taking;
    dataOf(await stage.door.cancelBooking(live, id));
    await second.sweep();
    await eventually(() => asked(id).length > 0);
    expect(asked(id)).toEqual(['cancel']);
  });

  it('is asked for again at once, and given up once that is answered', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const [first, second] = [worker(), worker()];
    const issue = answerOf('issue');
    const { id } = await booked(stage, live);
    await untilAskedOnce(id, first);
    await first.stop();
    await second.sweep();
    await eventually(() => asked(id).length === 2);
    dataOf(await stage.door.cancelBooking(live, id));
    await untilLookedFor(live, () => second.sweep());
    expect(asked(id)).toEqual(['issue', 'issue']);
    issue.resolve({ state: 'issuing' });
    await eventually(() => asked(id).length > 2);
    expect(asked(id)).toEqual(['issue', 'issue', 'cancel']);
  });

  it('and again, in vain, is not given up while the first asking may still come through', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const [first, second] = [worker(), worker()];
    const issue = deferred<OrderState>();
    onTestFinished(() => issue.resolve({ state: 'issuing' }));
    const isBooked = new Set<string>();
    airline.answers.issue = ({ bookingId }) => {
      if (isBooked.has(bookingId)) throw new Error('this order is being made');
      isBooked.add(bookingId);
      return issue.promise;
    };
    const { id } = await booked(stage, live);
    await untilAskedOnce(id, first);
    await first.stop();
    await untilAskedAgain(id, second);
    const isPostponed = async () =>
      (await stage.server.query('SELECT FROM bookings WHERE id = $1 AND order_asked = 2', [id])).length > 0;
    await eventually(isPostponed);
    dataOf(await stage.door.cancelBooking(live, id));
    await untilLookedFor(live, () => second.sweep());
    expect(asked(id)).toEqual(['issue', 'issue']);
    await lapse(id);
    await eventually(async () => {
      await second.sweep();
      return asked(id).length > 2;
    });
    expect(asked(id)).toEqual(['issue', 'issue', 'cancel']);
  });

  it('and taken by another one that stops before it asks is not given up either', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const [first, second, third] = [worker(), worker(), worker()];
    answerOf('issue');
    const { id } = await booked(stage, live);
    await untilAskedOnce(id, first);
    await first.stop();
    const taking = second.sweep();
    await second.stop();
    await taking;
    dataOf(await stage.door.cancelBooking(live, id));
    await untilLookedFor(live, () => third.sweep());
    expect(asked(id)).toEqual(['issue']);
    await lapse(id);
    await untilAskedAgain(id, third);
    expect(asked(id)).toEqual(['issue', 'cancel']);
  });

  it('or that is killed is not given up while it may still be issued', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const [killed, next] = [worker(), worker()];
    answerOf('issue');
    const { id } = await booked(stage, live);
    await untilAskedOnce(id, killed);
    dataOf(await stage.door.cancelBooking(live, id));
    await next.start();
    await untilLookedFor(live, () => next.sweep());
    expect(asked(id)).toEqual(['issue']);
    await lapse(id);
    await untilAskedAgain(id, next);
    expect(asked(id)).toEqual(['issue', 'cancel']);
  });

  it('and that is paid meanwhile is not issued by another worker while it may still be held', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const [first, second] = [worker(), worker()];
    answerOf('hold');
    const { id } = await held(stage, live);
    await untilAskedOnce(id, first);
    await first.stop();
    dataOf(await stage.door.confirmBooking(live, id));
    await untilLookedFor(live, () => second.sweep());
    expect(asked(id)).toEqual(['hold']);
    await lapse(id);
    await untilAskedAgain(id, second);
    expect(asked(id)).toEqual(['hold', 'issue']);
  });

  it('to be given up is asked for again at once', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const [first, second] = [worker(), worker()];
    const cancellation = deferred<undefined>();
    airline.answers.cancel = () => cancellation.promise;
    onTestFinished(() => cancellation.resolve(undefined));
    const { id } = await booked(stage, live);
    dataOf(await stage.door.cancelBooking(live, id));
    await untilAskedOnce(id, first);
    await first.stop();
    await second.sweep();
    await eventually(() => asked(id).length > 1);
    expect(asked(id)).toEqual(['cancel', 'cancel']);
  });

  it('leaves no ticket behind a cancelled booking when its server starts anew', async () => {
    onTestFinished(() => stage.server.restart({ ROLES: 'api' }));
    await stage.server.restart({ ROLES: 'api,worker' });
    const { live } = await agencyWith(stage, '1000.00');
    const made = new Set<string>();
    const issue = deferred<void>();
    onTestFinished(() => issue.resolve());
    airline.answers.issue = async (request) => {
      await issue.promise;
      made.add(request.bookingId);
      return ticketed(request);
    };
    airline.answers.cancel = async ({ bookingId }) => {
      made.delete(bookingId);
      return undefined;
    };
    const { id } = await booked(stage, live);
    await untilAsked(stage, id, 'issue');
    dataOf(await stage.door.cancelBooking(live, id));
    await stage.server.restart();
    await untilLookedFor(live, async () => undefined);
    expect(asked(id)).toEqual(['issue']);
    issue.resolve();
    await eventually(() => made.has(id));
    await lapse(id);
    await untilAsked(stage, id, 'cancel');
    expect([asked(id), made.has(id)]).toEqual([['issue', 'cancel'], false]);
  });
});
