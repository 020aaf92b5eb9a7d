import type { ClockReading } from '../../infrastructure/clockReading.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { Outage } from '../../infrastructure/observability/outage.ts';
import type { Recall } from '../../infrastructure/webhooks/recall.ts';
import type { Platform } from '../platform.ts';
import type { ClaimedDelivery } from './claim.ts';

/** How often attempts under way are compared with their webhooks, should the signal of a change get lost. */
const checkMs = 250;

const readUrls = statement<{ id: string; url: string }>(
  'read_webhook_urls',
  'SELECT id, url FROM webhooks WHERE id = ANY ($1) AND deleted_at IS NULL',
);

/** Where these webhooks are called now, by id; those that were deleted are missing. */
async function presentUrls(
  webhookIds: Iterable<string>,
  { sequelize }: Platform,
): Promise<Map<string, string>> {
  const rows = await run(sequelize, readUrls, [[...new Set(webhookIds)]]);
  return new Map(rows.map(({ id, url }) => [id, url]));
}

/** An attempt that a change of its webhook can overtake. */
interface AttemptUnderWay {
  readonly delivery: ClaimedDelivery;
  readonly takenAt: ClockReading;
  readonly recall: Recall;
}

/** Recalls what is on its way to where a webhook is not any more. */
export class UrlChanges {
  readonly #attempts: ReadonlySet<AttemptUnderWay>;
  readonly #platform: Platform;
  readonly #outage: Outage;
  #checking = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param attempts those under way at any moment. */
  constructor(attempts: ReadonlySet<AttemptUnderWay>, platform: Platform) {
    this.#attempts = attempts;
    this.#platform = platform;
    this.#outage = new Outage(platform.log, {
      lost: 'webhooks under way not compared with their changes; trying again',
      back: 'webhooks under way are compared with their changes again',
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.#checkSlow(), checkMs);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Looks at the attempts of these webhooks. */
  async check(concerns: (webhookId: string) => boolean): Promise<void> {
    const attempts = [...this.#attempts].filter(({ delivery }) => concerns(delivery.webhook_id));
    if (attempts.length === 0) return;
    try {
      const ids = attempts.map(({ delivery }) => delivery.webhook_id);
      const urls = await presentUrls(ids, this.#platform);
      this.#outage.end();
      for (const { delivery, recall } of attempts)
        if (urls.get(delivery.webhook_id) !== delivery.url) recall.call('the webhook was changed or deleted');
    } catch (error) {
      this.#outage.begin(error);
    }
  }

  /** Attempts that take long are the ones that a change can overtake. */
  #checkSlow(): void {
    if (this.#checking) return;
    const sinceMs = performance.now() - checkMs / 2;
    const slow = new Set<string>();
    for (const { takenAt, delivery } of this.#attempts)
      if (takenAt.monotonicMs < sinceMs) slow.add(delivery.webhook_id);
    this.#checking = true;
    void this.check((id) => slow.has(id)).finally(() => {
      this.#checking = false;
    });
  }
}
