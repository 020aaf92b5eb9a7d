import fc from 'fast-check';
import { expect, it } from 'vitest';
import { baseShare, Shares, slots } from '../../src/domain/webhooks/shares.ts';

const third = slots / 3;
const largestShare = 100;

interface UnderWay {
  readonly webhookId: string;
  readonly trusted: boolean;
}

type Step =
  | { readonly begin: UnderWay; readonly times: number }
  | { readonly end: number; readonly ok: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    begin: fc.record({ webhookId: fc.constantFrom('a', 'b', 'c', 'd'), trusted: fc.boolean() }),
    times: fc.integer({ min: 1, max: 60 }),
  }),
  fc.record({ end: fc.nat(), ok: fc.boolean() }),
);

const countOf = (attempts: readonly UnderWay[], webhookId: string) =>
  attempts.filter((one) => one.webhookId === webhookId).length;

/** What must hold of the allowances while these attempts are under way. */
function check(shares: Shares, attempts: readonly UnderWay[]): void {
  const { limit, untrustedLimit, webhookIds, counts } = shares.allowances();
  const untrusted = attempts.filter(({ trusted }) => !trusted).length;
  expect(limit).toBe(slots - attempts.length);
  expect(untrustedLimit).toBe(Math.max(third - untrusted, 0));
  expect(new Set(webhookIds)).toEqual(new Set(attempts.map(({ webhookId }) => webhookId)));
  let beyondBase = 0;
  let wasBeyond = 0;
  for (const [index, webhookId] of webhookIds.entries()) {
    const present = countOf(attempts, webhookId);
    const allowed = counts[index]!;
    expect(allowed).toBeGreaterThanOrEqual(Math.max(baseShare - present, 0));
    if (allowed > 0) expect(present + allowed).toBeLessThanOrEqual(largestShare);
    beyondBase += Math.max(present + allowed - baseShare, 0);
    wasBeyond += Math.max(present - baseShare, 0);
  }
  expect(beyondBase).toBeLessThanOrEqual(Math.max(third, wasBeyond));
}

it('webhooks share the slots: each has its base, what is beyond it is bounded, and failures end it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = new Shares();
      const attempts: UnderWay[] = [];
      const finish = (index: number, ok: boolean) => {
        const [{ webhookId, trusted }] = attempts.splice(index, 1) as [UnderWay];
        shares.judge(webhookId, ok);
        shares.end(webhookId, trusted);
        if (ok) return;
        const { webhookIds, counts } = shares.allowances();
        const left = Math.max(baseShare - countOf(attempts, webhookId), 0);
        expect(counts[webhookIds.indexOf(webhookId)] ?? baseShare).toBe(left);
      };
      for (const one of steps) {
        if ('begin' in one) {
          for (let time = 0; time < one.times && attempts.length < slots; time += 1) {
            shares.begin(one.begin.webhookId, one.begin.trusted);
            attempts.push(one.begin);
          }
        } else if (attempts.length > 0) finish(one.end % attempts.length, one.ok);
        check(shares, attempts);
      }
      while (attempts.length > 0) finish(0, false);
      expect(shares.allowances()).toEqual(new Shares().allowances());
    }),
    { numRuns: 60 },
  );
});

it('a share grows by one with each success, as far as the third that all have beyond their base', () => {
  const shares = new Shares();
  const names = ['a', 'b', 'c', 'd'];
  for (let success = 0; success < 200; success += 1) for (const name of names) shares.judge(name, true);
  for (const name of names) shares.begin(name, true);
  // A hundred for the first two, 20 beyond its base for the third, and the base for the last; one each is under way.
  expect(shares.allowances()).toEqual({
    limit: slots - 4,
    untrustedLimit: third,
    webhookIds: names,
    counts: [99, 99, 29, 9],
  });
  expect(names.map((name) => shares.hasRoom(name))).toEqual([true, true, true, true]);
  for (let more = 0; more < 99; more += 1) for (const name of ['a', 'b']) shares.begin(name, true);
  expect(shares.allowances()).toMatchObject({ limit: slots - 202, counts: [0, 0, 29, 9] });
  expect(names.map((name) => shares.hasRoom(name))).toEqual([false, false, true, true]);
});
