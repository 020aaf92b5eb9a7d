import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { NotificationPage, PaymentNotification } from '../../src/infrastructure/payments/provider.ts';
import { dataOf, pixOf } from '../doors/door.ts';
import { restDoor } from '../doors/restDoor.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines, type Engine } from '../harness/engines.ts';
import { ManualClock } from '../harness/manualClock.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { sweptTwice } from '../harness/sweeps.ts';
import { hourMs, minuteMs } from '../harness/testClock.ts';
import { Bank } from './bank.ts';

/** Between two askings. */
export const pauseMs = 10 * minuteMs;

/** A payment provider that is asked for what it did not tell, and the product that asks it. */
export class Lookups {
  readonly bank = new Bank();
  /** Cuts nobody off by itself. */
  readonly clock = new ManualClock();
  /** What it was asked in this test. */
  readonly asked: { since: Date; page: string | null }[] = [];
  readonly door = restDoor(() => this.server);
  #server: TestServer | null = null;

  get server(): TestServer {
    if (!this.#server) throw new Error('no server before the tests run');
    return this.#server;
  }

  async open(engine: Engine): Promise<void> {
    this.answering(async () => ({ notifications: [], nextPage: null }));
    this.#server = await startTestServer(engine, { clock: this.clock, paymentProvider: this.bank });
    await eventually(() => this.asked.length === 1);
    // There is no recharge yet.
    expect(this.asked[0]?.since.getTime()).toBe(this.clock.now().getTime() - hourMs);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async begin(): Promise<void> {
    this.bank.reset();
    // What the test before has left due, by its last move of the clock, is none of the next one's askings.
    await this.twoLooks();
    this.asked.length = 0;
  }

  answering(answer: (page: string | null) => Promise<NotificationPage>): void {
    this.bank.lists = (since, page) => {
      this.asked.push({ since, page });
      return answer(page);
    };
  }

  /** Resolves when it was looked twice more whether it is time to ask. */
  twoLooks(): Promise<void> {
    return sweptTwice(this.server.url, 'missed-notices');
  }

  /** Of several faults in a row only the first is logged: after this, the next is the first. */
  async answersOnce(): Promise<void> {
    this.answering(async () => ({ notifications: [], nextPage: null }));
    this.clock.advance(pauseMs);
    await eventually(() => this.asked.length === 1);
    await this.twoLooks();
  }

  async request(key: string): Promise<string> {
    return dataOf(await this.door.createRecharge(key, pixOf('100.00'))).id;
  }

  paid(rechargeId: string): PaymentNotification {
    return {
      rechargeId,
      outcome: 'paid',
      providerReference: `payment/${rechargeId}`,
      paidAt: this.clock.now(),
      amountCents: null,
    };
  }

  async untilCompleted(key: string, id: string): Promise<void> {
    await eventually(async () => dataOf(await this.door.getRecharge(key, id)).status === 'completed');
  }
}

/** One provider and one server for each engine. */
export function describeLookups(title: string, tests: (lookups: Lookups, engine: Engine) => void): void {
  describeEngines(title, (engine) => {
    const lookups = new Lookups();
    beforeAll(() => lookups.open(engine));
    afterAll(() => lookups.close());
    beforeEach(() => lookups.begin());
    tests(lookups, engine);
  });
}
