import { randomUUID } from 'node:crypto';
import { type ClockReading, readClocks } from '../../infrastructure/clockReading.ts';
import { drainMs } from '../../infrastructure/http/stopping.ts';
import { Looks } from '../../infrastructure/looks.ts';
import { NextLook } from '../../infrastructure/nextLook.ts';
import { Outage } from '../../infrastructure/observability/outage.ts';
import { RepeatedFaults, wordsOf } from '../../infrastructure/observability/repeatedFaults.ts';
import { MachineClockWrong } from '../../infrastructure/webhooks/connector.ts';
import type { AttemptOutcome } from '../../infrastructure/webhooks/outcome.ts';
import { Recall } from '../../infrastructure/webhooks/recall.ts';
import { NameServersAway } from '../../infrastructure/webhooks/resolver.ts';
import { SendingCancelled } from '../../infrastructure/webhooks/sender.ts';
import type { Platform } from '../platform.ts';
import { AlertMails } from './alerts.ts';
import type { ClaimedDelivery, ClaimScope } from './claim.ts';
import { claimDeliveries, nextDueAt, releaseAllLeases, releaseLease } from './claim.ts';
import { HeldLeases } from './heldLeases.ts';
import { KeptAttempts } from './keptAttempts.ts';
import { DeliveryRequests } from './requests.ts';
import { mayHaveLeftSome, Shares, slots } from './shares.ts';
import { skipInactive } from './skipping.ts';
import { UrlChanges } from './urlChanges.ts';
import { Wanted } from './wanted.ts';

/** Attempts in memory at most: those that are being sent, and those that ended and are not recorded yet. */
const attemptLimit = 2 * slots;

/** How long an attempt that failed through a fault of ours waits. */
const ownFaultDelayMs = 1_000;

/** The same while nobody resolves names for us: everything that is due waits then, and is taken again each time. */
const namelessDelayMs = 10_000;

/** The same while our clock is too wrong to judge certificates: each time costs a beginning of TLS, and others may be right. */
const wrongClockDelayMs = 60_000;

function pauseAfterMs(fault: unknown): number {
  if (fault instanceof SendingCancelled) return 0;
  if (fault instanceof MachineClockWrong) return wrongClockDelayMs;
  return fault instanceof NameServersAway ? namelessDelayMs : ownFaultDelayMs;
}

/** That of a fault of ours: its words may have the address or file that it met this time. */
const kindOf = (fault: unknown): string => (fault as NodeJS.ErrnoException | null)?.code ?? wordsOf(fault);

/** Why what was taken is not sent. */
const lapsed = 'its lease had lapsed';

/** A taken delivery that is being sent or recorded. */
interface Attempt {
  delivery: ClaimedDelivery;
  token: string;
  takenAt: ClockReading;
  leasedAt: ClockReading;
  /** Whether nothing has come of it yet. */
  isSending: boolean;
  recall: Recall;
  ended: Promise<void>;
}

/** The largest that the database numbers wallets with. */
const largestWalletId = 2 ** 31 - 1;

/**
 * The wallet of a signal, if it can be one: on a channel of this name others may publish as well, and a look that asked the
 * database for what they say would fail for every wallet in it.
 * @throws RangeError
 */
function walletOf({ walletId }: { walletId: unknown }): number {
  if (Number.isInteger(walletId) && (walletId as number) > 0 && (walletId as number) <= largestWalletId)
    return walletId as number;
  throw new RangeError('no number of a wallet');
}

/**
 * Whether a look there may be the first at deliveries that fall due later: by the first delay, or by the clock of whoever
 * recorded them, which may be a little ahead. Wallets are looked at when something is recorded for them, webhooks by
 * themselves for what fell due before.
 */
const mayFindLater = (scope: ClaimScope): boolean => scope === 'all' || (scope.walletIds ?? []).length > 0;

/**
 * Event → delivery rows → this: takes due rows, sends them and records what came of it. Woken by signals, by deliveries
 * that fall due, and by slots that become free; the sweep calls `sweep`, which finds what none of them told of.
 */
export class WebhookDispatcher {
  readonly #platform: Platform;
  readonly #name = randomUUID();
  readonly #shares = new Shares();
  readonly #requests: DeliveryRequests;
  readonly #recorder: KeptAttempts;
  readonly #alerts: AlertMails;
  readonly #faults: RepeatedFaults;
  readonly #attempts = new Set<Attempt>();
  readonly #leases: HeldLeases;
  readonly #changes: UrlChanges;
  readonly #wanted = new Wanted();
  readonly #looks: Looks;
  readonly #next: NextLook;
  /** Whether the last look may have left something for want of slots. */
  #full = false;
  #claims = 0;
  #stopSignals: Array<() => void> = [];

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#requests = new DeliveryRequests(platform);
    this.#recorder = new KeptAttempts(this.#name, platform);
    this.#alerts = new AlertMails(platform);
    this.#faults = new RepeatedFaults(platform.log, 1, 'error');
    this.#leases = new HeldLeases(this.#attempts, platform);
    this.#changes = new UrlChanges(this.#attempts, platform);
    const outage = new Outage(platform.log, {
      lost: 'webhook deliveries not claimed; trying again with the sweep',
      back: 'webhook deliveries are claimed again',
      level: 'error',
    });
    this.#looks = new Looks(() => this.#claim(), outage);
    this.#next = new NextLook(platform.clock, () => this.#wake('all'));
  }

  async start(): Promise<void> {
    const { shared, signals, log } = this.#platform;
    if (!shared) await releaseAllLeases(this.#platform);
    Promise.all([
      signals.subscribe('events', (signal) => this.#wake({ walletIds: [walletOf(signal)] })),
      signals.subscribe('webhooks', ({ webhookId }) => this.#changes.check((id) => id === webhookId)),
    ])
      .then((stops) => {
        this.#stopSignals = stops;
      })
      .catch((error) => log.warn({ err: error }, 'webhooks wait for the sweep: not listening for signals'));
    this.#leases.start();
    this.#changes.start();
  }

  /**
   * Takes nothing more and resolves once every attempt under way is recorded, and the mail under way sent or given up. An attempt
   * is waited for as long as a request in flight, and then given up, its delivery left to others: WEBHOOK_TIMEOUT may be longer
   * than the process has left (DESIGN §5).
   */
  async stop(): Promise<void> {
    const giveUp = setTimeout(() => {
      for (const { recall } of this.#attempts) recall.call('the process was stopped');
    }, drainMs);
    const looked = this.#looks.stop();
    this.#next.stop();
    this.#recorder.stop();
    for (const stop of this.#stopSignals) stop();
    await looked;
    await Promise.all([this.#alerts.stop(), ...[...this.#attempts].map(({ ended }) => ended)]);
    clearTimeout(giveUp);
    this.#leases.stop();
    this.#changes.stop();
  }

  async sweep(): Promise<void> {
    await skipInactive(this.#platform);
    this.#alerts.wake();
    this.#want('all');
    await this.#looks.looked();
  }

  /** Looks for due deliveries there, now or after the look that is under way. */
  #wake(scope: ClaimScope): void {
    this.#want(scope);
    if (!this.#wanted.isEmpty) this.#looks.wake();
  }

  #want(scope: ClaimScope): void {
    this.#wanted.add(scope);
    this.#full = false;
  }

  /** Takes what is due where it is wanted. @returns whether there may be more, and slots for it. */
  async #claim(): Promise<boolean> {
    const allowances = this.#shares.allowances(attemptLimit - this.#attempts.size);
    this.#full = allowances.limit <= 0;
    if (this.#full) return false;
    const scope = this.#wanted.take();
    this.#claims += 1;
    const token = `${this.#name}/${this.#claims}`;
    const takenAt = readClocks();
    // The look knows nothing of slots that become free while it lasts; who frees one wakes us only while this is set.
    this.#full = true;
    await this.#leases.ensure();
    // Before the look: what falls due between it and the question must be in one of them.
    const since = this.#platform.clock.now();
    const claiming = claimDeliveries(token, scope, allowances, this.#platform);
    const asking = mayFindLater(scope) ? nextDueAt(since, scope, this.#platform) : null;
    // Heard of below, where the look itself did not fail.
    asking?.catch(() => undefined);
    const claimed = await claiming;
    if (mayHaveLeftSome(allowances, claimed)) this.#wanted.add(scope);
    else {
      this.#full = false;
      const lookedAt = scope === 'all' ? scope : (scope.webhookIds ?? []);
      const webhookIds = this.#shares.noteTaken(claimed, lookedAt, allowances);
      if (webhookIds.length > 0) this.#wanted.add({ webhookIds });
    }
    for (const delivery of claimed)
      if (!this.#leases.keepsTaken(delivery, token, takenAt)) this.#begin(delivery, token, takenAt);
    this.#next.at(await asking);
    return !this.#wanted.isEmpty && !this.#full;
  }

  #begin(delivery: ClaimedDelivery, token: string, takenAt: ClockReading): void {
    const attempt: Attempt = {
      delivery,
      token,
      takenAt,
      leasedAt: takenAt,
      isSending: true,
      recall: new Recall(() => (this.#leases.holds(attempt) ? null : lapsed)),
      ended: Promise.resolve(),
    };
    this.#attempts.add(attempt);
    this.#shares.begin(delivery);
    attempt.ended = this.#make(attempt);
  }

  async #make(attempt: Attempt): Promise<void> {
    const { delivery } = attempt;
    const startedAt = this.#platform.clock.now();
    try {
      const outcome = await this.#send(attempt, startedAt);
      if (outcome) await this.#record(attempt, outcome, startedAt);
    } catch (error) {
      // The lease lapses, and the delivery is sent again.
      this.#platform.log.error({ err: error, deliveryId: delivery.id }, 'webhook attempt not recorded');
    }
    this.#attempts.delete(attempt);
    if (this.#full) this.#wake({});
  }

  /** @returns null when nothing was sent. */
  async #send(attempt: Attempt, startedAt: Date): Promise<AttemptOutcome | null> {
    const { delivery, recall } = attempt;
    const { webhookSender, metrics } = this.#platform;
    try {
      // What a look under way at a stop still brings has not begun, and is left to others at once.
      if (this.#looks.stopped) throw new SendingCancelled('the process was stopped');
      // Nor does what a process that stood still hears of long after it was taken.
      if (!this.#leases.holds(attempt)) throw new SendingCancelled(lapsed);
      const request = this.#requests.requestOf(delivery, startedAt);
      const outcome = await webhookSender.send(request, recall);
      this.#shares.judge(delivery.webhook_id, outcome.ok);
      this.#endSending(attempt);
      metrics.webhookAttempts.inc({ reason: outcome.reason });
      return outcome;
    } catch (error) {
      this.#endSending(attempt);
      await this.#giveBack(attempt, error);
      return null;
    }
  }

  async #record({ delivery, token }: Attempt, outcome: AttemptOutcome, startedAt: Date): Promise<void> {
    const { clock, log } = this.#platform;
    const finished = { delivery, token, outcome, startedAt, endedAt: clock.now() };
    const { nextAt, deactivated } = await this.#recorder.record(finished);
    if (outcome.reason === 'cancelled') this.#wake({ webhookIds: [delivery.webhook_id] });
    else this.#next.at(nextAt);
    if (!deactivated) return;
    log.warn({ webhookId: delivery.webhook_id }, 'webhook deactivated');
    await skipInactive(this.#platform);
    this.#alerts.wake();
  }

  #endSending(attempt: Attempt): void {
    attempt.isSending = false;
    const { delivery } = attempt;
    this.#shares.end(delivery);
    const webhookIds = this.#shares.worthALookAfter(delivery.webhook_id);
    if (webhookIds.length > 0) this.#wake({ webhookIds });
    else if (this.#full) this.#wake({});
  }

  /** Nothing was sent, so there is nothing to record. */
  async #giveBack({ delivery, token }: Attempt, error: unknown): Promise<void> {
    const isCancelled = error instanceof SendingCancelled;
    const met = { deliveryId: delivery.id, webhookId: delivery.webhook_id };
    if (!isCancelled) this.#faults.tell('webhook attempt not made', error, met, kindOf(error));
    const dueAt = new Date(this.#platform.clock.now().getTime() + pauseAfterMs(error));
    await releaseLease({ id: delivery.id, token }, dueAt, this.#platform);
    if (isCancelled) this.#wake({ webhookIds: [delivery.webhook_id] });
    else this.#next.at(dueAt);
  }
}
