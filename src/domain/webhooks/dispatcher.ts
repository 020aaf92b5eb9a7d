import { randomUUID } from 'node:crypto';
import { signatureHeaders } from '../../infrastructure/webhooks/signature.ts';
import type { Platform } from '../platform.ts';
import { sendAlerts } from './alerts.ts';
import { recordOutcome } from './attempts.ts';
import type { ClaimedDelivery } from './claim.ts';
import {
  claimDeliveries,
  leaseMs,
  nextDueAt,
  releaseAllLeases,
  releaseLease,
  renewLeases,
  skipInactive,
} from './claim.ts';
import { openHeaders, openSecrets } from './webhook.ts';

/** Attempts that one process has under way at most. What is claimed is sent at once, so nothing waits in memory. */
const slots = 500;

/** How long an attempt that failed through a fault of ours waits. */
const ownFaultDelayMs = 1_000;

/**
 * Event → delivery rows → this: takes due rows, sends them and records what came of it. Woken by signals; the sweep
 * calls `sweep`, which finds what no signal told of.
 */
export class WebhookDispatcher {
  readonly #platform: Platform;
  readonly #token = randomUUID();
  readonly #underWay = new Map<string, Promise<void>>();
  #claiming: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #renewal: NodeJS.Timeout | null = null;
  #cancelNext: (() => void) | null = null;
  #stopSignals: (() => Promise<void>) | null = null;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  async start(): Promise<void> {
    const { settings, signals, log } = this.#platform;
    if (!settings.DATABASE_URL) await releaseAllLeases(this.#platform);
    signals
      .subscribe('events', () => this.wake())
      .then((stop) => {
        this.#stopSignals = stop;
      })
      .catch((error) =>
        log.warn({ err: error }, 'webhooks wait for the sweep: not listening for new events'),
      );
    this.#renewal = setInterval(() => this.#renew(), leaseMs / 3);
  }

  /** Takes nothing more and resolves once every attempt under way is recorded. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelNext?.();
    await this.#stopSignals?.();
    await this.#claiming;
    await Promise.all(this.#underWay.values());
    if (this.#renewal) clearInterval(this.#renewal);
  }

  /** Looks for due deliveries, now or after the look that is under way. */
  wake(): void {
    this.#again = true;
    if (this.#stopped) return;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = null;
      if (this.#again) this.wake();
    });
  }

  async sweep(): Promise<void> {
    await skipInactive(this.#platform);
    await sendAlerts(this.#platform);
    this.wake();
    await this.#claiming;
  }

  async #claim(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        const free = slots - this.#underWay.size;
        if (free <= 0) return;
        const claimed = await claimDeliveries(this.#token, free, this.#platform);
        for (const delivery of claimed) this.#begin(delivery);
        if (claimed.length === 0 && this.#underWay.size === 0) this.#wakeAt(await nextDueAt(this.#platform));
      }
    } catch (error) {
      this.#again = false;
      this.#platform.log.error({ err: error }, 'webhook deliveries not claimed; trying again with the sweep');
    }
  }

  #wakeAt(dueAt: Date | null): void {
    this.#cancelNext?.();
    this.#cancelNext = null;
    if (dueAt === null) return;
    const { clock } = this.#platform;
    const waitMs = Math.max(dueAt.getTime() - clock.now().getTime(), 0);
    this.#cancelNext = clock.schedule(waitMs, () => this.wake());
  }

  #begin(delivery: ClaimedDelivery): void {
    const attempt = this.#attempt(delivery)
      .catch((error) => {
        // The lease lapses, and the delivery is sent again.
        this.#platform.log.error({ err: error, deliveryId: delivery.id }, 'webhook attempt not recorded');
      })
      .finally(() => {
        this.#underWay.delete(delivery.id);
        this.wake();
      });
    this.#underWay.set(delivery.id, attempt);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { clock, webhookSender, log } = this.#platform;
    const startedAt = clock.now();
    let outcome: Awaited<ReturnType<typeof webhookSender.send>>;
    try {
      outcome = await webhookSender.send(this.#request(delivery, startedAt));
    } catch (error) {
      log.error({ err: error, deliveryId: delivery.id }, 'webhook attempt not made');
      const dueAt = new Date(clock.now().getTime() + ownFaultDelayMs);
      return releaseLease(this.#token, delivery.id, dueAt, this.#platform);
    }
    const attempt = { outcome, startedAt, endedAt: clock.now() };
    const deactivated = await recordOutcome(delivery, this.#token, attempt, this.#platform);
    if (!deactivated) return;
    log.warn({ webhookId: delivery.webhook_id }, 'webhook deactivated');
    await sendAlerts(this.#platform);
  }

  #request(delivery: ClaimedDelivery, now: Date) {
    const { vault } = this.#platform;
    const { body } = delivery;
    const custom = openHeaders(delivery.sealed_headers, vault).map(({ name, value }) => [name, value]);
    const signed = signatureHeaders({
      secrets: openSecrets(delivery.sealed_secrets, now, vault).map(({ secret }) => secret),
      eventId: delivery.event_id,
      timestampSeconds: Math.floor(now.getTime() / 1_000),
      body,
    });
    return { url: delivery.url, headers: { ...Object.fromEntries(custom), ...signed }, body };
  }

  #renew(): void {
    renewLeases(this.#token, [...this.#underWay.keys()], this.#platform).catch((error) =>
      this.#platform.log.warn({ err: error }, 'webhook leases not renewed'),
    );
  }
}
