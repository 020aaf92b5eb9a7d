import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { doorsAt, requestFor } from '../bookings/bookingSteps.ts';
import { type Door, dataOf, type Outcome, pixOf } from '../doors/door.ts';
import { type Json, restRequest } from '../harness/client.ts';

/** An agency, and what was acknowledged to it. */
export interface Agency {
  readonly key: string;
  readonly walletId: number;
  readonly offers: { readonly instant: Json; readonly hold: Json };
  /** The latest event before all that is watched. */
  readonly before: string;
  readonly recharges: Set<string>;
  /** The status of each booking, but for `ticketed`, which follows from `confirmed`. */
  readonly bookings: Map<string, 'pending' | 'confirmed' | 'cancelled'>;
  /** What its balance must be. */
  cents: bigint;
}

const clientCount = 6;

const rechargeCents = 900_00n;

/**
 * Recharges of an agency until none is begun any more: within what it may recharge in a day, those that the clients are about
 * included.
 */
const mostRecharges = Number(100_000_00n / rechargeCents) - clientCount;

const chance = (share: number) => Math.random() < share;
export const oneOf = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!;
export const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

/**
 * Clients that recharge, book, confirm and cancel at either door of whichever process serves, and repeat each request with its
 * Idempotency-Key until its answer is none that will pass.
 */
export class StormClients {
  readonly #agencies: readonly Agency[];
  readonly #urlOf: () => Promise<string>;
  #requests = 0;
  #acknowledged = 0;
  #met = 0;
  #isOver = false;
  readonly #done: Promise<unknown>;

  constructor(agencies: readonly Agency[], urlOf: () => Promise<string>) {
    this.#agencies = agencies;
    this.#urlOf = urlOf;
    this.#done = Promise.all(Array.from({ length: clientCount }, () => this.#work()));
    // Nothing is acknowledged any more, which whoever waits for that has to hear of.
    this.#done.catch(() => {
      this.#isOver = true;
    });
  }

  /** Failures that were met. */
  get met(): number {
    return this.#met;
  }

  /** @returns what tells whether so many more answers have come, or none will. */
  hasAcknowledged(more: number): () => boolean {
    const enough = this.#acknowledged + more;
    return () => this.#acknowledged >= enough || this.#isOver;
  }

  /** @returns what tells whether so many more failures have been met, or none will be. */
  hasMet(more: number): () => boolean {
    const enough = this.#met + more;
    return () => this.#met >= enough || this.#isOver;
  }

  /** Has each client finish what it is about. @throws what one of them has failed with. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const agency = oneOf(this.#agencies);
      const mayRecharge = agency.recharges.size < mostRecharges;
      const cents = await (mayRecharge && chance(0.4) ? this.#recharge(agency) : this.#book(agency));
      agency.cents += cents;
    }
  }

  async #settled<T>(ask: (url: string) => Promise<T>, willPass: (answered: T) => boolean): Promise<T> {
    for (;;) {
      try {
        const answered = await ask(await this.#urlOf());
        if (!willPass(answered)) {
          this.#acknowledged += 1;
          return answered;
        }
      } catch (error) {
        // A connection that breaks is what the death of a server looks like.
        if ((error as Error).name === 'AssertionError') throw error;
      }
      this.#met += 1;
      await delay(20);
    }
  }

  /** What one request comes to, at whichever door it is repeated. */
  #told(ask: (door: Door, options: { idempotencyKey: string }) => Promise<Outcome>): Promise<Outcome> {
    this.#requests += 1;
    const options = { idempotencyKey: `request ${this.#requests}` };
    return this.#settled((url) => ask(oneOf(doorsAt(url)), options), mayPass);
  }

  /** @returns what the balance changes by, in centavos. */
  async #recharge({ key, recharges }: Agency): Promise<bigint> {
    const request = pixOf(`${rechargeCents / 100n}.00`);
    const { id } = dataOf(await this.#told((door, options) => door.createRecharge(key, request, options)));
    recharges.add(id);
    const paid = await this.#settled(
      (url) => restRequest(url, 'POST', `/simulator/recharges/${id}/pay`, { key }),
      ({ status }) => status >= 500 || status === 409,
    );
    expect(paid.body.data?.status, paid.text).toBe('completed');
    return rechargeCents;
  }

  /** @returns what the balance changes by, in centavos. */
  async #book({ key, offers, bookings }: Agency): Promise<bigint> {
    const type = chance(0.4) ? 'hold' : 'instant';
    const body = requestFor(offers[type], type);
    const made = await this.#told((door, options) => door.createBooking(key, body, options));
    if (!made.ok) {
      expect(made.error.message).toBe('Insufficient balance');
      return 0n;
    }
    const { id, total_amount: price } = made.data;
    const isConfirmed = type === 'instant' || chance(0.7);
    if (type === 'hold' && isConfirmed)
      dataOf(await this.#told((door, options) => door.confirmBooking(key, id, {}, options)));
    const paid = isConfirmed ? centsOf(price) : 0n;
    if (chance(0.6)) {
      bookings.set(id, isConfirmed ? 'confirmed' : 'pending');
      return -paid;
    }
    const cancelled = dataOf(await this.#told((door, options) => door.cancelBooking(key, id, options)));
    bookings.set(id, 'cancelled');
    return isConfirmed ? centsOf(cancelled.refund_amount) - paid : 0n;
  }
}

/** Whether an answer says that the same request may be answered otherwise soon. */
const mayPass = (outcome: Outcome): boolean =>
  !outcome.ok && (outcome.error.code === 'INTERNAL_ERROR' || outcome.error.details?.type === 'in_progress');
