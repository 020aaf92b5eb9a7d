import { setMaxListeners } from 'node:events';
import { type ClockReading, longestSince, readClocks } from '../../infrastructure/clockReading.ts';
import { askWithin, TimedOut, untilAborted } from '../../infrastructure/cutOff.ts';
import { waitedTooLong } from '../../infrastructure/database/sqlState.ts';
import {
  AskLater,
  longestNote,
  type OrderRequest,
  type OrderState,
  type TravelDocument,
} from '../../infrastructure/flights/order.ts';
import { Looks } from '../../infrastructure/looks.ts';
import { NextLook } from '../../infrastructure/nextLook.ts';
import { Outage } from '../../infrastructure/observability/outage.ts';
import { RepeatedFaults, wordsOf } from '../../infrastructure/observability/repeatedFaults.ts';
import type { Platform } from '../platform.ts';
import type { BookingRow } from './booking.ts';
import { applyTransition } from './change.ts';
import { carrierReferenceOf, checkAnswer, unsettledBy } from './orderAnswers.ts';
import type { OrderTask } from './orderTask.ts';
import {
  abandonTask,
  abandonTasks,
  claimTasks,
  endLease,
  finishTask,
  nextTaskAt,
  noteOrder,
  postponeTask,
} from './orderTask.ts';
import { openTravellers } from './sealedTravellers.ts';

/** What one process asks one supplier at most at the same moment: a supplier that hangs holds up its own orders only. */
const placesOfSupplier = 25;

/** A lease outlasts the longest that a supplier may take, and the writing of its answer. */
const leaseMarginMs = 10_000;

/**
 * Between asking again: a quarter of a second, half as long again each time, up to a minute. Less up to a quarter by
 * chance: orders that failed together would else be asked for together for ever, beyond what the supplier allows a second.
 */
const firstPauseMs = 250;
const pauseGrowth = 1.5;
const longestPauseMs = 60_000;
const pauseSpread = 0.25;

/** While a supplier is away, all that waits for it fails alike: so often a minute the log tells it, each time of one order. */
const mostToldFaults = 30;

/** As late as a supplier may say that it is to be asked again: an adapter's slip must not leave an order for days. */
const longestAskedPauseMs = 60 * 60_000;

/** What a supplier needs to know of a booking: the same, however often it is asked. */
function requestOf(task: OrderTask, { vault }: Platform): OrderRequest {
  return {
    bookingId: task.id,
    offerReference: task.supplier_reference,
    locator: task.booking_reference,
    travellers: openTravellers(task.sealed_travellers, vault),
    testMode: task.mode === 'test',
    bookedAt: task.created_at,
    issueFrom: task.confirmed_at,
    note: task.order_note,
  };
}

const recorded = (documents: readonly TravelDocument[]): BookingRow['documents'] =>
  documents.map(({ type, uniqueIdentifier, passengerId }) => ({
    type,
    unique_identifier: uniqueIdentifier,
    passenger_id: passengerId,
  }));

/**
 * Booking → order task → this: asks suppliers for what bookings need of them, outside any database transaction, and
 * writes what came of it. Asking twice is safe, because suppliers know an order by its booking's id; so whatever a dead
 * process asked for without writing the answer is simply asked again.
 */
export class OrderDispatcher {
  readonly #platform: Platform;
  /** What is being asked. */
  readonly #underWay = new Map<Promise<void>, OrderTask>();
  readonly #looks: Looks;
  readonly #faults: RepeatedFaults;
  readonly #next: NextLook;
  readonly #stopping = new AbortController();
  #stopSignals: (() => void) | null = null;

  constructor(platform: Platform) {
    this.#platform = platform;
    const outage = new Outage(platform.log, {
      lost: 'order tasks not claimed; trying again with the sweep',
      back: 'order tasks are claimed again',
      level: 'error',
    });
    this.#looks = new Looks(() => this.#claim(), outage);
    this.#faults = new RepeatedFaults(platform.log, mostToldFaults, 'warn');
    this.#next = new NextLook(platform.clock, () => this.#looks.wake());
    // All who wait for a supplier wait for it too; Node.js would take more than ten for a leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  async start(): Promise<void> {
    const { shared, signals, log } = this.#platform;
    if (!shared) await abandonTasks(this.#platform);
    signals
      .subscribe('orders', () => this.#looks.wake())
      .then((stop) => {
        this.#stopSignals = stop;
      })
      .catch((error) => log.warn({ err: error }, 'orders wait for the sweep: not listening for new ones'));
  }

  /** Takes nothing more, waits for no supplier any longer (another process asks again) and writes what has come. */
  async stop(): Promise<void> {
    const looked = this.#looks.stop();
    this.#next.stop();
    this.#stopping.abort();
    this.#stopSignals?.();
    await looked;
    await Promise.all(this.#underWay.keys());
  }

  /** Resolves once all that is due has been taken. */
  sweep(): Promise<void> {
    return this.#looks.wake();
  }

  /** Takes what is due. @returns whether there may be more. */
  async #claim(): Promise<boolean> {
    const leaseMs = this.#platform.settings.FLIGHT_ORDER_TIMEOUT + leaseMarginMs;
    // Before the look: what falls due between it and the next question must be in one of them.
    const since = this.#platform.clock.now();
    const takenAt = readClocks();
    // What finds no place with its supplier now is looked for again as soon as an asking there ends (`#begin`).
    // A lease may lapse while its order is being asked for still, where the machine was suspended: no second asking beside that.
    const asked = [...this.#underWay.values()].map(({ id }) => id);
    const tasks = await claimTasks(this.#places(), leaseMs, this.#platform, asked);
    for (const task of tasks) this.#begin(task, takenAt);
    if (tasks.length > 0) return true;
    this.#next.at(await nextTaskAt(since, this.#platform));
    return false;
  }

  /** What each supplier may still be asked at the same moment; '' stands for those that are not active any more. */
  #places(): Map<string, number> {
    const names = [...this.#platform.flightSuppliers.map(({ name }) => name), ''];
    const isActive = new Set(names);
    const asked = [...this.#underWay.values()].map(({ supplier }) =>
      isActive.has(supplier) ? supplier : '',
    );
    const placesOf = (name: string) => placesOfSupplier - asked.filter((one) => one === name).length;
    return new Map(names.map((name) => [name, Math.max(placesOf(name), 0)]));
  }

  #begin(task: OrderTask, takenAt: ClockReading): void {
    const work = this.#performInTime(task, takenAt)
      .catch((error) =>
        // The lease lapses, and the supplier is asked again.
        this.#platform.log.error({ err: error, bookingId: task.id }, 'answer of a supplier not written'),
      )
      .finally(() => {
        this.#underWay.delete(work);
        this.#looks.wake();
      });
    this.#underWay.set(work, task);
  }

  /**
   * Asks only where it may wait for the answer, and the lease outlasts it. Whoever was frozen or suspended since the taking
   * would ask beside the next one, and have tickets issued that are being given up.
   */
  #performInTime(task: OrderTask, takenAt: ClockReading): Promise<void> {
    if (this.#looks.stopped || longestSince(takenAt) > leaseMarginMs)
      return endLease(task, unsettledBy(null), this.#platform);
    return this.#perform(task);
  }

  async #perform(task: OrderTask): Promise<void> {
    const { log, metrics } = this.#platform;
    const { id: bookingId, supplier, order_task: asked } = task;
    const startedMs = performance.now();
    const tell = (outcome: OrderState['state'] | 'cancelled' | 'failed' | 'timeout') =>
      metrics.orderSeconds.observe(
        { supplier, task: asked, outcome },
        (performance.now() - startedMs) / 1_000,
      );
    let answer: OrderState | null | undefined;
    try {
      answer = await untilAborted(this.#ask(task), this.#stopping.signal);
    } catch (error) {
      tell(error instanceof TimedOut ? 'timeout' : 'failed');
      const met = { bookingId, supplier, task: asked };
      const kind = `${supplier} ${asked} ${wordsOf(error)}`;
      this.#faults.tell('flight supplier did not answer an order', error, met, kind);
      return this.#end(task, null, this.#askLater(task, null, error));
    }
    if (answer === undefined) return abandonTask(task, this.#platform);
    tell(answer?.state ?? 'cancelled');
    if (answer?.state === 'refused')
      log.warn({ bookingId, supplier, task: asked, reason: answer.reason }, 'order refused');
    await this.#end(task, answer, this.#writeOrAskLater(task, answer));
  }

  /** An answer whose wallet stays locked is asked for again: many that wait would leave others no connection. */
  async #writeOrAskLater(task: OrderTask, answer: OrderState | null): Promise<boolean> {
    try {
      return await this.#write(task, answer);
    } catch (error) {
      if (!waitedTooLong(error)) throw error;
      const { id: bookingId, wallet_id: walletId } = task;
      this.#platform.log.warn(
        { bookingId, walletId },
        'answer of a supplier for a locked wallet asked for later',
      );
      return this.#askLater(task, answer);
    }
  }

  /** A change that another one was faster than is not made: that one has set its own task, which waits for this end. */
  async #end(task: OrderTask, answer: OrderState | null, writing: Promise<boolean>): Promise<void> {
    if (!(await writing)) await endLease(task, unsettledBy(answer), this.#platform);
  }

  /** @returns null for a cancellation, which has no answer but that it is done. */
  async #ask(task: OrderTask): Promise<OrderState | null> {
    const { flightSuppliers, settings, clock } = this.#platform;
    const supplier = flightSuppliers.find(({ name }) => name === task.supplier);
    if (!supplier) throw new Error(`${task.supplier} is no active flight supplier`);
    const request = requestOf(task, this.#platform);
    const limits = { asked: supplier.name, timeoutMs: settings.FLIGHT_ORDER_TIMEOUT, clock };
    const { orders } = supplier;
    return askWithin<OrderState | null>(limits, async ({ signal }) => {
      const options = { signal, keepNote: (note: string) => this.#keepNote(task, note, signal) };
      if (task.order_task === 'hold') return checkAnswer(await orders.hold(request, options), request);
      if (task.order_task === 'issue') return checkAnswer(await orders.issue(request, options), request);
      await orders.cancel(request, options);
      return null;
    });
  }

  async #keepNote(task: OrderTask, note: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (note.length > longestNote) throw new Error(`a note of more than ${longestNote} characters`);
    if (!(await noteOrder(task, note, this.#platform)))
      throw new Error('this asking was given up: the next one decides');
  }

  /** @returns whether anything was written. */
  async #write(task: OrderTask, answer: OrderState | null): Promise<boolean> {
    const where = { id: task.id, walletId: task.wallet_id };
    const token = task.order_token;
    const refused = answer?.state === 'refused';
    if (task.order_task === 'hold' && refused) {
      return (await applyTransition('rejectHold', where, { token }, this.#platform)) !== null;
    }
    const carrierReference = carrierReferenceOf(answer);
    if (task.order_task !== 'issue') return finishTask(task, carrierReference, this.#platform);
    if (refused) {
      return (await applyTransition('rejectIssue', where, { token }, this.#platform)) !== null;
    }
    if (answer?.state !== 'ticketed') return this.#askLater(task, answer);
    const documents = recorded(answer.documents);
    const details = { token, documents, carrierReference };
    return (await applyTransition('ticket', where, details, this.#platform)) !== null;
  }

  /** `answer` is what the supplier said that settles nothing; null for no answer, of which `error` may say more. */
  #askLater(task: OrderTask, answer: OrderState | null, error?: unknown): Promise<boolean> {
    const longestMs = Math.min(firstPauseMs * pauseGrowth ** task.order_asked, longestPauseMs);
    const askedMs = error instanceof AskLater ? Math.min(error.pauseMs, longestAskedPauseMs) : 0;
    const pauseMs = Math.max(longestMs * (1 - pauseSpread * Math.random()), firstPauseMs, askedMs);
    const dueAt = new Date(this.#platform.clock.now().getTime() + pauseMs);
    return postponeTask(task, dueAt, unsettledBy(answer), this.#platform);
  }
}
