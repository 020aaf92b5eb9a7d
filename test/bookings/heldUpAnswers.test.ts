import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { OrderDispatcher } from '../../src/domain/bookings/orderDispatcher.ts';
import type { OrderRequest, OrderState } from '../../src/infrastructure/flights/order.ts';
import { dataOf } from '../doors/door.ts';
import { eventually } from '../harness/client.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { longLockWaits } from '../harness/lockWaits.ts';
import { minuteMs } from '../harness/testClock.ts';
import { never, ticketed } from './airline.ts';
import { agencyWith, booked, carrierReferenceOf, held, untilStatus } from './bookingSteps.ts';
import { workerStage } from './workerStage.ts';

/** Only a server has other sessions that can hold a wallet; the embedded store has one. */
describeSeveralSessions('The answer of a supplier, while something else holds its wallet,', (engine) => {
  const stage = workerStage(engine);
  const { airline, clock } = stage;
  beforeEach(() => airline.reset());

  const refused = (): OrderState => ({ state: 'refused', reason: 'sold out' });
  const answers: [what: string, method: 'hold' | 'issue', (request: OrderRequest) => OrderState, string][] = [
    ['a refused hold', 'hold', refused, 'failed'],
    ['a refused issue', 'issue', refused, 'failed'],
    ['tickets', 'issue', ticketed, 'ticketed'],
  ];

  it.each(answers)('is not waited for as long as what clients ask for: %s', async (_, method, of, status) => {
    const { teamId, live } = await agencyWith(stage, '1000.00');
    const worker = new OrderDispatcher(stage.server.running.gateway.platform);
    onTestFinished(() => worker.stop());
    airline.answers[method] = async (request) => of(request);
    const { id } = await (method === 'hold' ? held : booked)(stage, live);
    const other = await stage.server.openSession();
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    await worker.sweep();
    const isLeft = (line: string) =>
      line.includes('for a locked wallet asked for later') && line.includes(id);
    let longWaits = 0;
    await eventually(async () => {
      longWaits += await longLockWaits(stage.server);
      return stage.server.logLines.some(isLeft);
    });
    expect(longWaits).toBe(0);
    await other.query('ROLLBACK');
    clock.advance(minuteMs);
    await worker.sweep();
    await untilStatus(stage, live, id, status);
  });

  it('is heard all the same: whoever cancels then waits for no asking that was abandoned before', async () => {
    const { teamId, live } = await agencyWith(stage, '1000.00');
    const { platform } = stage.server.running.gateway;
    const [stopped, worker] = [new OrderDispatcher(platform), new OrderDispatcher(platform)];
    onTestFinished(() => worker.stop());
    const asked = (method: 'issue' | 'cancel') => airline.askedFor(id, method).length;
    airline.answers.issue = never;
    const { id } = await booked(stage, live);
    await stopped.sweep();
    await eventually(() => asked('issue') === 1);
    await stopped.stop();
    airline.answers.issue = async (request) => ({ ...ticketed(request), carrierReference: 'XKPTRB' });
    const other = await stage.server.openSession();
    await other.query('BEGIN');
    await other.query('SELECT FROM wallets WHERE team_id = $1 FOR UPDATE', [teamId]);
    await eventually(async () => {
      await worker.sweep();
      return asked('issue') === 2;
    });
    await eventually(async () => (await carrierReferenceOf(stage, live, id)) === 'XKPTRB');
    await other.query('ROLLBACK');
    dataOf(await stage.door.cancelBooking(live, id));
    await eventually(async () => {
      await worker.sweep();
      return asked('cancel') === 1;
    });
  });
});
