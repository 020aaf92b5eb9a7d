import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { applyTransition } from '../../src/domain/bookings/change.ts';
import { postBooking } from '../../src/domain/bookings/posting.ts';
import { eventually } from '../harness/client.ts';
import { embedded } from '../harness/engines.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { bookingOf, fundedTeam } from './writtenBookings.ts';

/** Those who share a Redis hear of each other's. */
describe('Workers (embedded)', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(embedded, { settings: { ROLES: 'api' } });
  });
  afterAll(() => server?.close());

  it('hear at once of what a supplier is to be asked, new bookings and changed ones alike', async () => {
    const { live: walletId } = await fundedTeam(server);
    const { platform } = server.running.gateway;
    let heard = 0;
    onTestFinished(
      await platform.signals.subscribe('orders', () => {
        heard += 1;
      }),
    );
    const paid = await bookingOf(server, walletId, { amountCents: 1_00 });
    await postBooking(paid, null, platform);
    await eventually(() => heard === 1);
    const hold = await bookingOf(server, walletId, { type: 'hold', amountCents: 1_00 });
    await postBooking(hold, null, platform);
    await eventually(() => heard === 2);
    expect(await applyTransition('withdraw', { id: hold.id, walletId }, {}, platform)).not.toBeNull();
    await eventually(() => heard === 3);
  });
});
