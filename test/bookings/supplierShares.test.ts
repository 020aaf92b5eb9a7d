import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { claimTasks } from '../../src/domain/bookings/orderTask.ts';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { Airline, never, ticketed } from './airline.ts';
import { bookingOf, walletsOf } from './writtenBookings.ts';

describeEngines('Orders of several suppliers', (engine) => {
  const [hanging, healthy] = [new Airline('hanging'), new Airline('healthy')];
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine, {
      settings: { ROLES: 'api', FLIGHT_ORDER_TIMEOUT: '30s' },
      flightSuppliers: [hanging, healthy],
    });
  });
  afterAll(() => server?.close());
  beforeEach(() => server.query('UPDATE bookings SET order_task = NULL, order_due_at = NULL'));

  /** Books straight at a supplier: what matters here is whom the worker asks. */
  async function bookAt(...suppliers: string[]): Promise<string[]> {
    const { teamId, live } = await server.createTeam();
    const recharge = await server.rest('POST', '/api/v1/wallet/recharge', {
      key: live,
      body: { amount: '1000.00', currency: 'BRL', payment_method: 'pix' },
    });
    await server.rest('POST', `/simulator/recharges/${recharge.body.data.id}/pay`, { key: live });
    const wallets = await walletsOf(server, teamId);
    return Promise.all(
      suppliers.map(async (supplier) => {
        const booking = { ...(await bookingOf(server, wallets.live, { amountCents: 100 })), supplier };
        await postBooking(booking, null, server.running.gateway.platform);
        return booking.id;
      }),
    );
  }

  it('are taken by supplier, each for its places; those of one that is not active have their own', async () => {
    await bookAt(...Array.from({ length: 5 }, () => 'hanging'), 'healthy', 'gone', 'gone');
    const places = new Map([
      ['hanging', 2],
      ['healthy', 0],
      ['', 1],
    ]);
    const tasks = await claimTasks(places, 60_000, server.running.gateway.platform);
    expect(tasks.map(({ supplier }) => supplier).sort()).toEqual(['gone', 'hanging', 'hanging']);
  });

  it('are asked beside a supplier that hangs with more orders than anyone would wait for', async () => {
    hanging.answers.issue = never;
    healthy.answers.issue = async (request) => ticketed(request);
    await bookAt(...Array.from({ length: 60 }, () => 'hanging'));
    const [id] = await bookAt('healthy');
    onTestFinished(() => server.restart({ ROLES: 'api' }));
    await server.restart({ ROLES: 'api,worker' });
    await eventually(async () => {
      const [booking] = await server.query<{ status: string }>('SELECT status FROM bookings WHERE id = $1', [
        id,
      ]);
      return booking?.status === 'ticketed';
    });
    expect(hanging.asked.filter(({ method }) => method === 'issue').length).toBeLessThanOrEqual(25);
  });
});
