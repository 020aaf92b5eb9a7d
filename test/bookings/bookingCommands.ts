import fc from 'fast-check';
import { expect } from 'vitest';
import type { Outcome } from '../doors/door.ts';
import { dataOf } from '../doors/door.ts';
import type { Json } from '../harness/client.ts';
import type { Model, ModelBooking, Verdict } from './bookingModel.ts';
import * as model from './bookingModel.ts';

/** The product as the commands drive it; what it makes stands in the order of the model's. */
export interface Real {
  readonly recharges: string[];
  readonly offers: Json[];
  readonly bookings: string[];
  /** Answers to creations, by their Idempotency-Keys. */
  readonly answers: Map<string, { request: Json; text: string }>;
  search(terms: { price: string; penalty: string | null; mayHold: boolean }): Promise<Json>;
  recharge(amount: string): Promise<string>;
  pay(id: string): Promise<Json>;
  book(offer: Json, type: 'instant' | 'hold', key: string): Promise<Outcome>;
  repeat(key: string, request: Json): Promise<Outcome>;
  confirm(id: string): Promise<Outcome>;
  cancel(id: string): Promise<Outcome>;
  advance(milliseconds: number): void;
  expire(): Promise<void>;
  plan(id: string, state: ModelBooking['plan']): void;
  /** A worker asks the airline for everything that is due. */
  work(): Promise<void>;
  /** The process ends and another one starts on the same store. */
  crash(): Promise<void>;
  /** Time is up: what is left of the history is left out. */
  isOver(): boolean;
  /** Compares everything that can be seen with the model, and proves the ledger. */
  check(expected: Model): Promise<void>;
}

type Command = fc.AsyncCommand<Model, Real>;

const amount = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

/** A step that both take, after which both must look the same. */
const step = (
  name: string,
  run: (expected: Model, real: Real) => Promise<void>,
  check: (expected: Readonly<Model>) => boolean = () => true,
): Command => ({
  check,
  async run(expected, real) {
    if (real.isOver()) return;
    await run(expected, real);
    await real.check(expected);
  },
  toString: () => name,
});

function compare(outcome: Outcome, verdict: Verdict): void {
  expect(outcome.ok ? null : outcome.error.message, outcome.text).toBe(verdict);
}

const targets = fc.nat(30);

const pick = <T>(items: readonly T[], target: number) => target % items.length;

const create = (type: 'instant' | 'hold') => (target: number) =>
  step(
    `${type}(${target})`,
    async (expected, real) => {
      const index = pick(expected.offers, target);
      const key = `${type} ${real.answers.size}`;
      const outcome = await real.book(real.offers[index], type, key);
      compare(outcome, model.book(expected, index, type));
      if (outcome.ok) real.bookings.push(dataOf(outcome).id);
    },
    ({ offers }) => offers.length > 0,
  );

const ofBooking =
  (name: string, run: (booking: ModelBooking, id: string, expected: Model, real: Real) => Promise<void>) =>
  (target: number) =>
    step(
      `${name}(${target})`,
      async (expected, real) => {
        const index = pick(expected.bookings, target);
        await run(expected.bookings[index]!, real.bookings[index]!, expected, real);
      },
      ({ bookings }) => bookings.length > 0,
    );

const work = async (expected: Model, real: Real) => {
  real.advance(61_000);
  expected.nowMs += 61_000;
  await real.work();
  model.askAirline(expected);
};

const planned = (plan: ModelBooking['plan']) =>
  ofBooking(plan, async (booking, id, expected, real) => {
    booking.plan = plan;
    real.plan(id, plan);
    await work(expected, real);
  });

const commands: fc.Arbitrary<Command>[] = [
  fc
    .record({
      price: fc.integer({ min: 1, max: 600_00 }),
      penalty: fc.option(fc.integer({ min: 0, max: 300_00 })),
      mayHold: fc.boolean(),
    })
    .map(({ price, penalty, mayHold }) =>
      step(`search(${price}, ${penalty}, ${mayHold})`, async (expected, real) => {
        const terms = { price: amount(price), penalty: penalty === null ? null : amount(penalty), mayHold };
        real.offers.push(await real.search(terms));
        model.search(expected, { priceCents: price, penaltyCents: penalty, mayHold });
      }),
    ),
  fc.integer({ min: 100_00, max: 1000_00 }).map((cents) =>
    step(`recharge(${cents})`, async (expected, real) => {
      real.recharges.push(await real.recharge(amount(cents)));
      model.requestRecharge(expected, cents);
    }),
  ),
  targets.map((target) =>
    step(
      `pay(${target})`,
      async (expected, real) => {
        const index = pick(expected.recharges, target);
        const answer = await real.pay(real.recharges[index]!);
        expect(answer.success ? null : answer.error.message).toBe(model.pay(expected, index));
      },
      ({ recharges }) => recharges.length > 0,
    ),
  ),
  targets.map(create('instant')),
  targets.map(create('hold')),
  targets.map(create('hold')),
  targets.map(
    ofBooking('confirm', async (booking, id, expected, real) =>
      compare(await real.confirm(id), model.confirm(expected, booking)),
    ),
  ),
  targets.map(
    ofBooking('cancel', async (booking, id, _expected, real) =>
      compare(await real.cancel(id), model.cancel(booking)),
    ),
  ),
  fc.constantFrom(1, 9, 21).map((minutes) =>
    step(`wait(${minutes} min)`, async (expected, real) => {
      real.advance(minutes * 60_000);
      expected.nowMs += minutes * 60_000;
    }),
  ),
  fc.constant(
    step('expire', async (expected, real) => {
      await real.expire();
      model.expire(expected);
    }),
  ),
  targets.map(planned('ticketed')),
  targets.map(planned('refused')),
  fc.constant(step('work', work)),
  targets.map((target) =>
    step(`repeat(${target})`, async (_expected, real) => {
      const asked = [...real.answers];
      const [key, { request, text }] = asked[pick(asked, target)] ?? ['', { request: null, text: '' }];
      if (key === '') return;
      const again = await real.repeat(key, request);
      expect([again.text, again.replayed]).toEqual([text, true]);
    }),
  ),
  fc.constant(step('crash', (_expected, real) => real.crash())),
];

/** Every step is as likely as another, but holds, which lead furthest. */
export const histories = (maxCommands: number) => fc.commands(commands, { maxCommands, size: 'max' });
