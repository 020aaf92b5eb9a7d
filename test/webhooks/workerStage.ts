import { AttemptRecorder } from '../../src/domain/webhooks/attemptRecording.ts';
import type { ClaimedDelivery } from '../../src/domain/webhooks/claim.ts';
import { Shares, slots } from '../../src/domain/webhooks/shares.ts';
import type { AttemptOutcome } from '../../src/infrastructure/webhooks/outcome.ts';
import type { DeliveryWorld } from './deliveryWorld.ts';

export const delivered: AttemptOutcome = {
  ok: true,
  statusCode: 200,
  reason: 'ok',
  detail: 'answered 200',
  durationMs: 1,
  responseExcerpt: '',
};
export const failed: AttemptOutcome = {
  ...delivered,
  ok: false,
  statusCode: 500,
  reason: 'http_status',
  detail: 'answered 500',
};

export const free = new Shares().allowances(slots);

/** What tests of deliveries that a worker has taken work with: nobody else sends. */
export function workerStage(world: () => DeliveryWorld) {
  /** Ends an attempt to make a delivery, right away or so much later. */
  const record = async (
    delivery: ClaimedDelivery | undefined,
    token: string,
    outcome: AttemptOutcome,
    ms = 0,
  ) => {
    const { platform } = world().server.running.gateway;
    const endedAt = new Date(platform.clock.now().getTime() + ms);
    const attempt = { delivery: delivery!, token, outcome, startedAt: endedAt, endedAt };
    await new AttemptRecorder(`worker ${token}`, platform).record(attempt);
  };
  return {
    record,
    get world() {
      return world();
    },
  };
}

export type WorkerStage = ReturnType<typeof workerStage>;
