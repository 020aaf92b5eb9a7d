import type { EventType } from '../../src/domain/events/catalogue.ts';
import { recordExample } from '../harness/activity.ts';
import type { TestClock } from '../harness/testClock.ts';
import { deliveryLogOf } from './deliveryLog.ts';
import type { DeliveryWorld } from './deliveryWorld.ts';

/** The types that a webhook of these tests is for. */
export const events = ['wallet.debit', 'wallet.credit', 'booking.created'] as const;

/** What tests of the log of deliveries work with. */
export function logStage(world: () => DeliveryWorld, clock: TestClock) {
  const { read, refusal } = deliveryLogOf(world);
  /** A webhook for several types, and what records events for it. */
  async function subscribed(path: string) {
    const { key, tenant } = await world().team();
    const id = await world().register(key, path);
    await world().change(key, id, { events });
    const record = (type: EventType) => recordExample(world().server, tenant, type, 'ord_0');
    return { key, tenant, id, record };
  }
  return {
    clock,
    read,
    refusal,
    subscribed,
    get world() {
      return world();
    },
  };
}

export type LogStage = ReturnType<typeof logStage>;
