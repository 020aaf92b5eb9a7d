import { startSweeps } from '../infrastructure/sweeper.ts';
import { measureBacklog } from './backlog.ts';
import { expireOverdueBookings } from './bookings/expiry.ts';
import { OrderDispatcher } from './bookings/orderDispatcher.ts';
import { forgetOldOffers } from './flights/offerStore.ts';
import { forgetOldKeys } from './idempotency/once.ts';
import type { Platform } from './platform.ts';
import { cancelUnwantedCharges } from './recharges/chargeCancellation.ts';
import { expireOverdueRecharges } from './recharges/ending.ts';
import { hearMissedNotices } from './recharges/missedNotices.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';

/** What falls due by itself: deliveries, orders, expiries and what is past keeping. @returns what stops it. */
export async function startWorker(platform: Platform): Promise<() => Promise<void>> {
  const dispatcher = new WebhookDispatcher(platform);
  const orders = new OrderDispatcher(platform);
  await Promise.all([dispatcher.start(), orders.start()]);
  const everyMs = platform.settings.SWEEP_INTERVAL;
  const stopSweeps = startSweeps(
    [
      { name: 'webhooks', everyMs, run: () => dispatcher.sweep() },
      { name: 'orders', everyMs, run: () => orders.sweep() },
      {
        name: 'booking-expiry',
        everyMs,
        run: (stopping) => expireOverdueBookings(platform, stopping),
      },
      {
        name: 'recharge-expiry',
        everyMs,
        run: (stopping) => expireOverdueRecharges(platform, stopping),
      },
      {
        name: 'charge-cancellation',
        everyMs,
        run: (stopping) => cancelUnwantedCharges(platform, stopping),
      },
      {
        name: 'missed-notices',
        everyMs,
        run: (stopping) => hearMissedNotices(platform, stopping),
      },
      { name: 'backlog', everyMs: 15 * everyMs, run: () => measureBacklog(platform) },
      {
        name: 'old-offers',
        everyMs: Math.max(everyMs, 60_000),
        run: (stopping) => forgetOldOffers(platform, stopping),
      },
      {
        name: 'idempotency-keys',
        everyMs: Math.max(everyMs, 60_000),
        run: (stopping) => forgetOldKeys(platform, stopping),
      },
    ],
    platform.log,
    platform.metrics,
  );
  return async () => {
    await Promise.all([stopSweeps(), dispatcher.stop(), orders.stop()]);
  };
}
