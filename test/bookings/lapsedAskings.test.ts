import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import type { OrderState } from '../../src/infrastructure/flights/order.ts';
import { dataOf } from '../doors/door.ts';
import { eventually, type Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { countOf } from '../harness/metricSamples.ts';
import { deferred, never, ticketed } from './airline.ts';
import { agencyWith, booked, held } from './bookingSteps.ts';
import { workerStage } from './workerStage.ts';

type Method = 'hold' | 'issue' | 'cancel';

describeEngines('What a worker hears of an order once its lease has lapsed and another asks', (engine) => {
  const stage = workerStage(engine);
  const { airline } = stage;
  beforeEach(() => airline.reset());

  function worker(): OrderDispatcher {
    const dispatcher = new OrderDispatcher(stage.server.running.gateway.platform);
    onTestFinished(() => dispatcher.stop());
    return dispatcher;
  }

  /** A booking whose supplier is to be asked for this. */
  async function toBeAsked(method: Method, key: string): Promise<string> {
    if (method === 'hold') return (await held(stage, key)).id;
    const { id } = await booked(stage, key);
    if (method === 'cancel') dataOf(await stage.door.cancelBooking(key, id));
    return id;
  }

  /** Everything that a supplier's answer could change. */
  const present = async (id: string) => {
    const [row] = await stage.server.query<Json>('SELECT * FROM bookings WHERE id = $1', [id]);
    return row;
  };

  const letLapse = (id: string) =>
    stage.server.query('UPDATE bookings SET order_leased_until = clock_timestamp() WHERE id = $1', [id]);

  /** Has a first worker ask, its lease lapse, and a second ask; the airline owes both an answer. */
  async function askedTwice(method: Method) {
    const { live } = await agencyWith(stage, '1000.00');
    const [first, second] = [worker(), worker()];
    const id = await toBeAsked(method, live);
    const answers: ReturnType<typeof deferred<OrderState | undefined>>[] = [];
    // Of other bookings, whose tests are over, it says nothing: each answer would have a worker look again.
    airline.answers = { hold: never, issue: never, cancel: never };
    airline.answers[method] = ({ bookingId }) => {
      if (bookingId !== id) return never();
      const answer = deferred<OrderState | undefined>();
      answers.push(answer);
      return answer.promise;
    };
    const untilAsked = (by: OrderDispatcher, times: number) =>
      eventually(async () => {
        await by.sweep();
        return airline.askedFor(id, method).length === times;
      });
    await untilAsked(first, 1);
    await letLapse(id);
    await untilAsked(second, 2);
    return { id, first, answer: answers[0]! };
  }

  const told: [method: Method, outcome: string, of: (id: string) => OrderState | undefined][] = [
    ['hold', 'held', () => ({ state: 'held', carrierReference: 'XKPTRB' })],
    ['hold', 'refused', () => ({ state: 'refused', reason: 'full' })],
    ['issue', 'issuing', () => ({ state: 'issuing' })],
    ['issue', 'refused', () => ({ state: 'refused', reason: 'full' })],
    ['issue', 'ticketed', (id) => ticketed(airline.askedFor(id, 'issue')[0]!)],
    ['cancel', 'cancelled', () => undefined],
  ];

  describe('changes nothing of it, and ends not the other’s lease:', () => {
    it.each(told)('%s, %s', async (method, outcome, answerOf) => {
      const { id, first, answer } = await askedTwice(method);
      const before = await present(id);
      const sample = `embarque_flight_order_seconds_count{supplier="airline",task="${method}",outcome="${outcome}"}`;
      const heard = () => countOf(stage.server.url, sample);
      const heardBefore = await heard();
      answer.resolve(answerOf(id));
      await eventually(async () => (await heard()) > heardBefore);
      // It has written by then whatever it writes.
      await first.stop();
      expect(await present(id)).toEqual(before);
    });

    it.each<Method>(['hold', 'issue', 'cancel'])('%s, and that it stops', async (method) => {
      const { id, first } = await askedTwice(method);
      const before = await present(id);
      await first.stop();
      expect(await present(id)).toEqual(before);
    });
  });

  it.each<Method>(['hold', 'issue', 'cancel'])(
    'itself asks for no second time beside that: %s',
    async (method) => {
      const { live } = await agencyWith(stage, '1000.00');
      const one = worker();
      const id = await toBeAsked(method, live);
      const answer = deferred<OrderState | undefined>();
      const answers = { hold: never, issue: never, cancel: never };
      airline.answers = { ...answers, [method]: () => answer.promise };
      onTestFinished(() => answer.resolve(undefined));
      await eventually(async () => {
        await one.sweep();
        return airline.askedFor(id, method).length === 1;
      });
      await letLapse(id);
      // Another task is taken up by the same look, so that it is over.
      const other = await toBeAsked('hold', live);
      await eventually(async () => {
        await one.sweep();
        return airline.askedFor(other, 'hold').length === 1;
      });
      expect(airline.askedFor(id, method)).toHaveLength(1);
      answer.resolve(told.find(([asked, outcome]) => asked === method && outcome !== 'refused')?.[2](id));
      await eventually(async () => (await present(id))?.order_leased_until === null);
      expect(airline.askedFor(id, method)).toHaveLength(1);
    },
  );
});
