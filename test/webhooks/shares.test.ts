import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SlotUse } from '../../src/domain/webhooks/shares.ts';
import { baseShare, mayHaveLeftSome, Shares, slots } from '../../src/domain/webhooks/shares.ts';

const largestShare = 100;
const extraSlots = 200;
const sizes = { trusted: 600, untrusted: 300 };

type Step =
  | { readonly begin: SlotUse; readonly times: number }
  | { readonly look: string; readonly isCrowded: boolean }
  | { readonly end: number; readonly ok: boolean };

const slotUse: fc.Arbitrary<SlotUse> = fc
  .record({ webhook_id: fc.constantFrom('a', 'b', 'c', 'd'), trusted: fc.boolean() })
  .map((one) => ({ ...one, wallet_id: one.webhook_id < 'c' ? 1 : 2 }));

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ begin: slotUse, times: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ end: fc.nat(), ok: fc.boolean() }),
  fc.record({ look: fc.constantFrom('a', 'b', 'c', 'd'), isCrowded: fc.boolean() }),
);

const countOf = (attempts: readonly SlotUse[], webhookId: string) =>
  attempts.filter((one) => one.webhook_id === webhookId).length;

const poolOf = (attempts: readonly SlotUse[], trusted: boolean) =>
  attempts.filter((one) => one.trusted === trusted);

/** A look that took as much of a webhook as it was allowed, so that more may be waiting, or found that nothing is. */
function look(shares: Shares, webhookId: string, isCrowded: boolean): void {
  const allowances = { ...shares.allowances(slots), ofWebhooks: new Map([[webhookId, 1]]) };
  const taken = { webhook_id: webhookId, wallet_id: 1, trusted: true };
  shares.noteTaken(isCrowded ? [taken] : [], [webhookId], allowances);
}

/** What must hold of the allowances while these attempts are under way. */
function check(shares: Shares, attempts: readonly SlotUse[], crowded: ReadonlySet<string>): void {
  const { limit, freeSlots, ofWebhooks, underWay } = shares.allowances(slots);
  expect(limit).toBe(slots - attempts.length);
  expect(freeSlots.trusted).toBe(sizes.trusted - poolOf(attempts, true).length);
  expect(freeSlots.untrusted).toBe(sizes.untrusted - poolOf(attempts, false).length);
  expect(new Set(underWay.keys())).toEqual(new Set(attempts.map((one) => one.wallet_id)));
  for (const [walletId, { trusted, untrusted }] of underWay) {
    const ofWallet = attempts.filter((one) => one.wallet_id === walletId);
    expect(trusted).toBe(poolOf(ofWallet, true).length);
    expect(untrusted).toBe(poolOf(ofWallet, false).length);
  }
  expect(new Set(ofWebhooks.keys())).toEqual(new Set(attempts.map((one) => one.webhook_id)));
  let beyondBase = 0;
  let wasBeyond = 0;
  for (const [webhookId, allowed] of ofWebhooks) {
    const present = countOf(attempts, webhookId);
    expect(allowed).toBeGreaterThanOrEqual(Math.max(baseShare - present, 0));
    if (allowed > 0) expect(present + allowed).toBeLessThanOrEqual(largestShare);
    // Nobody else asks for the rest of what it has waiting.
    if (shares.isWorthALook(webhookId)) expect(allowed).toBeGreaterThan(0);
    else if (crowded.has(webhookId)) expect(present).toBeGreaterThan(baseShare - 2);
    beyondBase += Math.max(present + allowed - baseShare, 0);
    wasBeyond += Math.max(present - baseShare, 0);
  }
  expect(beyondBase).toBeLessThanOrEqual(Math.max(extraSlots, wasBeyond));
}

it('webhooks share the slots: each has its base, what is beyond it is bounded, and failures end it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = new Shares();
      const attempts: SlotUse[] = [];
      const crowded = new Set<string>();
      const finish = (index: number, ok: boolean) => {
        const [one] = attempts.splice(index, 1) as [SlotUse];
        shares.judge(one.webhook_id, ok);
        shares.end(one);
        if (ok) return;
        const { ofWebhooks } = shares.allowances(slots);
        const left = Math.max(baseShare - countOf(attempts, one.webhook_id), 0);
        expect(ofWebhooks.get(one.webhook_id) ?? baseShare).toBe(left);
      };
      for (const one of steps) {
        if ('begin' in one) {
          const size = one.begin.trusted ? sizes.trusted : sizes.untrusted;
          for (let time = 0; time < one.times; time += 1) {
            if (poolOf(attempts, one.begin.trusted).length === size) break;
            shares.begin(one.begin);
            attempts.push(one.begin);
          }
        } else if ('look' in one) {
          look(shares, one.look, one.isCrowded);
          if (one.isCrowded) crowded.add(one.look);
          else crowded.delete(one.look);
        } else if (attempts.length > 0) finish(one.end % attempts.length, one.ok);
        check(shares, attempts, crowded);
      }
      while (attempts.length > 0) finish(0, false);
      expect(shares.allowances(slots)).toEqual(new Shares().allowances(slots));
    }),
    { numRuns: 60 },
  );
});

it('a share grows by one with each success, as far as all together may go beyond their base', () => {
  const shares = new Shares();
  const names = ['a', 'b', 'c', 'd'];
  const begin = (name: string) => shares.begin({ webhook_id: name, wallet_id: 1, trusted: true });
  for (let success = 0; success < 200; success += 1) for (const name of names) shares.judge(name, true);
  for (const name of names) begin(name);
  // A hundred for the first two, 20 beyond its base for the third, and the base for the last; one each is under way.
  expect(shares.allowances(slots)).toEqual({
    limit: slots - 4,
    freeSlots: { trusted: sizes.trusted - 4, untrusted: sizes.untrusted },
    ofWebhooks: new Map(Object.entries({ a: 99, b: 99, c: 29, d: 9 })),
    underWay: new Map([[1, { trusted: 4, untrusted: 0 }]]),
  });
  expect(shares.allowances(3).limit).toBe(3);
  expect(names.map((name) => shares.hasRoom(name))).toEqual([true, true, true, true]);
  for (let more = 0; more < 99; more += 1) for (const name of ['a', 'b']) begin(name);
  const { limit, ofWebhooks } = shares.allowances(slots);
  expect(limit).toBe(slots - 202);
  expect(Object.fromEntries(ofWebhooks)).toEqual({ a: 0, b: 0, c: 29, d: 9 });
  expect(names.map((name) => shares.hasRoom(name))).toEqual([false, false, true, true]);
});

it('those that have more waiting get equal parts of what is beyond their bases, and what they leave goes to others', () => {
  const shares = new Shares();
  const names = ['a', 'b', 'c', 'd'];
  const begin = (name: string, times: number) => {
    for (let time = 0; time < times; time += 1)
      shares.begin({ webhook_id: name, wallet_id: 1, trusted: true });
  };
  const allowedTo = () => Object.fromEntries(shares.allowances(slots).ofWebhooks);
  for (let success = 0; success < 200; success += 1) for (const name of names) shares.judge(name, true);
  begin('a', 100);
  begin('b', 50);
  begin('c', 1);
  begin('d', 1);
  for (const name of ['a', 'b']) look(shares, name, true);
  expect(allowedTo()).toEqual({ a: 0, b: 50, c: 29, d: 9 });
  // With a third that wants more each has 66 beyond its base, as far as the first leaves it; a fourth gets what none wants.
  look(shares, 'c', true);
  expect(allowedTo()).toEqual({ a: 0, b: 26, c: 53, d: 9 });
  expect(names.map((name) => shares.isWorthALook(name))).toEqual([false, true, true, false]);
  for (let ended = 0; ended < 24; ended += 1) shares.end({ webhook_id: 'a', wallet_id: 1, trusted: true });
  expect(allowedTo()).toEqual({ a: 0, b: 26, c: 75, d: 11 });
  // Of what one that fails has earned nothing is left, and the others have its part.
  shares.judge('c', false);
  expect(allowedTo()).toEqual({ a: 24, b: 50, c: 9, d: 29 });
  // Nobody has more waiting, so whoever comes first has all that is left.
  for (const name of names) look(shares, name, false);
  expect(allowedTo()).toEqual({ a: 24, b: 50, c: 9, d: 29 });
});

it('one that was allowed nothing while a look lasted, or may have what another gives up, is looked at', () => {
  const shares = new Shares();
  const slotOf = (webhook_id: string) => ({ webhook_id, wallet_id: 1, trusted: true });
  const times = (count: number, work: () => void) => {
    for (let time = 0; time < count; time += 1) work();
  };
  for (const name of ['a', 'b']) times(200, () => shares.judge(name, true));
  times(100, () => shares.begin(slotOf('a')));
  // All of its attempts end while the look lasts that could take nothing of it.
  const allowances = shares.allowances(slots);
  times(100, () => shares.end(slotOf('a')));
  expect(shares.worthALookAfter('a')).toEqual([]);
  expect(shares.noteTaken([], ['b'], allowances)).toEqual(['a']);
  // A look at all that takes nothing tells that nobody has more waiting.
  shares.noteTaken([], 'all', shares.allowances(slots));
  expect(shares.isWorthALook('a')).toBe(false);

  for (const name of ['a', 'b']) look(shares, name, true);
  times(91, () => shares.begin(slotOf('a')));
  times(5, () => shares.begin(slotOf('b')));
  shares.end(slotOf('a'));
  expect(shares.worthALookAfter('a')).toEqual(['b']);
  times(10, () => shares.end(slotOf('a')));
  expect(shares.worthALookAfter('a')).toEqual(['a']);
  look(shares, 'b', false);
  times(10, () => shares.begin(slotOf('a')));
  expect(shares.worthALookAfter('a')).toEqual([]);
});

/** Shares of which each of these webhooks has earned as many attempts, and has so many under way. */
function sharesOf(webhooks: Record<string, { earned: number; underWay: number }>): Shares {
  const shares = new Shares();
  for (const [webhookId, { earned, underWay }] of Object.entries(webhooks)) {
    for (let share = baseShare; share < earned; share += 1) shares.judge(webhookId, true);
    for (const one of slotsOf(webhookId, underWay)) shares.begin(one);
  }
  return shares;
}

const slotsOf = (webhook_id: string, times: number): SlotUse[] =>
  Array.from({ length: times }, () => ({ webhook_id, wallet_id: 1, trusted: true }));

const allowedBy = (shares: Shares) => Object.fromEntries(shares.allowances(slots).ofWebhooks);

it('what attempts beyond their base had is there again once they have ended', () => {
  const shares = sharesOf({
    a: { earned: 100, underWay: 100 },
    b: { earned: 100, underWay: 100 },
    c: { earned: 100, underWay: 0 },
  });
  for (const name of ['a', 'b']) for (const one of slotsOf(name, 100)) shares.end(one);
  for (const name of ['a', 'b', 'c']) for (const one of slotsOf(name, 1)) shares.begin(one);
  expect(allowedBy(shares)).toEqual({ a: 99, b: 99, c: 29 });
});

it('whose attempt ends gives something up to others down to its base, and nothing of that', () => {
  const shares = sharesOf({ a: { earned: 100, underWay: 12 }, b: { earned: 100, underWay: 5 } });
  look(shares, 'b', true);
  const lookedAtAfterOne = () => {
    for (const one of slotsOf('a', 1)) shares.end(one);
    return shares.worthALookAfter('a');
  };
  expect(lookedAtAfterOne()).toEqual(['b']);
  expect(lookedAtAfterOne()).toEqual(['b']);
  expect(lookedAtAfterOne()).toEqual([]);
});

it('one that has much more under way than its base is looked at as soon as a fifth of its share is free', () => {
  const webhooks = { a: { earned: 100, underWay: 81 }, b: { earned: 100, underWay: 80 } };
  const shares = sharesOf(webhooks);
  look(shares, 'a', true);
  expect(shares.isWorthALook('a')).toBe(false);
  for (const one of slotsOf('a', 1)) shares.end(one);
  expect(shares.isWorthALook('a')).toBe(true);
});

it('what one that has more waiting has not earned goes to the others, whoever came first', () => {
  const shares = sharesOf({
    a: { earned: 100, underWay: 1 },
    b: { earned: 100, underWay: 1 },
    c: { earned: 30, underWay: 1 },
  });
  for (const name of ['a', 'b', 'c']) look(shares, name, true);
  expect(allowedBy(shares)).toEqual({ a: 99, b: 99, c: 29 });
});

it('one that has nothing more waiting leaves to those that have what they may have, though it comes first', () => {
  const one = { earned: 100, underWay: 1 };
  const shares = sharesOf({ resting: one, a: one, b: one, c: one });
  for (const name of ['a', 'b', 'c']) look(shares, name, true);
  expect(allowedBy(shares)).toEqual({ resting: 11, a: 75, b: 75, c: 75 });
});

it('however many have more waiting that have earned nothing, one that has gets what it has earned', () => {
  const shares = sharesOf({ a: { earned: 100, underWay: 1 } });
  for (let number = 0; number < 300; number += 1) look(shares, `new ${number}`, true);
  look(shares, 'a', true);
  expect(allowedBy(shares)).toEqual({ a: 99 });
});

const usesOf = (wallet_id: number, trusted: boolean, times: number): SlotUse[] =>
  Array.from({ length: times }, () => ({ webhook_id: `wh_${wallet_id}`, wallet_id, trusted }));

it.each([
  ['one wallet below its bound', usesOf(1, true, 399), [], false],
  ['one wallet at its bound', usesOf(1, true, 399), usesOf(1, true, 1), true],
  ['one wallet at its bound before, and nothing taken', usesOf(1, true, 400), [], true],
  ['one wallet at its bound with untrusted webhooks', [], usesOf(1, false, 200), true],
  ['a wallet that uses both pools and half of each', usesOf(1, true, 300), usesOf(1, false, 150), false],
  ['two wallets below their bound', usesOf(1, true, 239), usesOf(2, true, 239), false],
  ['two wallets at their bound', usesOf(1, true, 240), usesOf(2, true, 240), true],
  [
    'one wallet just below a bound that another lowers',
    [...usesOf(1, true, 398), ...usesOf(2, true, 1)],
    [],
    false,
  ],
  [
    'one wallet just at a bound that another lowers',
    [...usesOf(1, true, 399), ...usesOf(2, true, 1)],
    [],
    true,
  ],
] as const)('somebody may have been left for want of slots: %s', (_, underWay, taken, expected) => {
  const shares = new Shares();
  for (const one of underWay) shares.begin(one);
  expect(mayHaveLeftSome(shares.allowances(slots), taken)).toBe(expected);
  expect(mayHaveLeftSome(shares.allowances(taken.length), taken)).toBe(true);
});

it('the last attempt of a wallet counts until it ends', () => {
  const shares = new Shares();
  const one: SlotUse = { webhook_id: 'a', wallet_id: 1, trusted: true };
  for (const change of ['begin', 'begin', 'end'] as const) shares[change](one);
  expect(shares.allowances(slots).underWay).toEqual(new Map([[1, { trusted: 1, untrusted: 0 }]]));
  shares.end(one);
  expect(shares.allowances(slots).underWay).toEqual(new Map());
});
