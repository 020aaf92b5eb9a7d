import type { Engine } from '../harness/engines.ts';
import type { TestClock } from '../harness/testClock.ts';
import { deliveryLogOf } from './deliveryLog.ts';
import type { DeliveryWorld } from './deliveryWorld.ts';

/** What tests of what is sent on purpose work with. */
export function sendingStage(engine: Engine, world: () => DeliveryWorld, clock: TestClock) {
  const statistics = async (key: string, id: string) => {
    const { total_deliveries: total, failed_deliveries: failed, active } = await world().webhook(key, id);
    return { total, failed, active };
  };
  return {
    engine,
    clock,
    ...deliveryLogOf(world),
    statistics,
    get world() {
      return world();
    },
  };
}

export type SendingStage = ReturnType<typeof sendingStage>;
