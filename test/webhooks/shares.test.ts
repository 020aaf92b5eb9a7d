import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SlotUse } from '../../src/domain/webhooks/shares.ts';
import { baseShare, mayHaveLeftSome, Shares, slots } from '../../src/domain/webhooks/shares.ts';

const largestShare = 200;
const extraSlots = 200;
const sizes = { trusted: 600, untrusted: 300 };

type Step =
  | { readonly begin: SlotUse; readonly times: number }
  | { readonly end: number; readonly ok: boolean }
  | { readonly praised: string; readonly times: number };

const webhookId = fc.constantFrom('a', 'b', 'c', 'd');

const slotUse: fc.Arbitrary<SlotUse> = fc
  .record({ webhook_id: webhookId, trusted: fc.boolean() })
  .map((one) => ({ ...one, wallet_id: one.webhook_id < 'c' ? 1 : 2 }));

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ begin: slotUse, times: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ end: fc.nat(), ok: fc.boolean() }),
  fc.record({ praised: webhookId, times: fc.integer({ min: 1, max: 120 }) }),
);

const countOf = (attempts: readonly SlotUse[], webhookId: string) =>
  attempts.filter((one) => one.webhook_id === webhookId).length;

const poolOf = (attempts: readonly SlotUse[], trusted: boolean) =>
  attempts.filter((one) => one.trusted === trusted);

/** What must hold of the allowances while these attempts are under way, of webhooks with these shares. */
function check(shares: Shares, attempts: readonly SlotUse[], earned: ReadonlyMap<string, number>): void {
  const allowances = shares.allowances();
  const { limit, webhookIds, counts, walletIds } = allowances;
  expect(limit).toBe(slots - attempts.length);
  expect(allowances.trustedLimit).toBe(sizes.trusted - poolOf(attempts, true).length);
  expect(allowances.untrustedLimit).toBe(sizes.untrusted - poolOf(attempts, false).length);
  expect(new Set(walletIds)).toEqual(new Set(attempts.map((one) => one.wallet_id)));
  for (const [index, walletId] of walletIds.entries()) {
    const ofWallet = attempts.filter((one) => one.wallet_id === walletId);
    expect(allowances.trustedCounts[index]).toBe(poolOf(ofWallet, true).length);
    expect(allowances.untrustedCounts[index]).toBe(poolOf(ofWallet, false).length);
  }
  expect(new Set(webhookIds)).toEqual(new Set(attempts.map((one) => one.webhook_id)));
  let wasBeyond = 0;
  const extras: { got: number; wanted: number }[] = [];
  for (const [index, webhookId] of webhookIds.entries()) {
    const present = countOf(attempts, webhookId);
    const allowed = counts[index]!;
    expect(allowed).toBeGreaterThanOrEqual(Math.max(baseShare - present, 0));
    const base = Math.max(baseShare, present);
    const wanted = Math.max((earned.get(webhookId) ?? baseShare) - base, 0);
    extras.push({ got: present + allowed - base, wanted });
    wasBeyond += base - baseShare;
  }
  const sum = (key: 'got' | 'wanted') => extras.reduce((total, one) => total + one[key], 0);
  expect(sum('got')).toBe(Math.min(sum('wanted'), Math.max(extraSlots - wasBeyond, 0)));
  const most = Math.max(0, ...extras.map(({ got }) => got));
  for (const { got, wanted } of extras) if (got < most - 1) expect(got).toBe(wanted);
}

it('webhooks share the slots: each has its base, what is beyond it is divided equally, and failures end it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = new Shares();
      const attempts: SlotUse[] = [];
      const earned = new Map<string, number>();
      const judge = (webhookId: string, ok: boolean) => {
        shares.judge(webhookId, ok);
        const before = earned.get(webhookId) ?? baseShare;
        earned.set(webhookId, ok ? Math.min(before + 1, largestShare) : baseShare);
      };
      const finish = (index: number, ok: boolean) => {
        const [one] = attempts.splice(index, 1) as [SlotUse];
        judge(one.webhook_id, ok);
        shares.end(one);
        if (ok) return;
        const { webhookIds, counts } = shares.allowances();
        const left = Math.max(baseShare - countOf(attempts, one.webhook_id), 0);
        expect(counts[webhookIds.indexOf(one.webhook_id)] ?? baseShare).toBe(left);
      };
      for (const one of steps) {
        if ('begin' in one) {
          const size = one.begin.trusted ? sizes.trusted : sizes.untrusted;
          for (let time = 0; time < one.times; time += 1) {
            if (poolOf(attempts, one.begin.trusted).length === size) break;
            shares.begin(one.begin);
            attempts.push(one.begin);
          }
        } else if ('praised' in one) {
          for (let time = 0; time < one.times; time += 1) judge(one.praised, true);
        } else if (attempts.length > 0) finish(one.end % attempts.length, one.ok);
        check(shares, attempts, earned);
      }
      while (attempts.length > 0) finish(0, false);
      expect(shares.allowances()).toEqual(new Shares().allowances());
    }),
    { numRuns: 60 },
  );
});

it('a share grows by one with each success, and one with a long queue gives way to the next', () => {
  const shares = new Shares();
  const begin = (name: string, times = 1) => {
    for (let time = 0; time < times; time += 1)
      shares.begin({ webhook_id: name, wallet_id: 1, trusted: true });
  };
  const end = (name: string, times: number) => {
    for (let time = 0; time < times; time += 1) shares.end({ webhook_id: name, wallet_id: 1, trusted: true });
  };
  for (let success = 0; success < 300; success += 1) for (const name of ['a', 'b']) shares.judge(name, true);
  for (let success = 0; success < 5; success += 1) shares.judge('c', true);
  begin('a');
  expect(shares.allowances()).toEqual({
    limit: slots - 1,
    trustedLimit: sizes.trusted - 1,
    untrustedLimit: sizes.untrusted,
    webhookIds: ['a'],
    counts: [199],
    walletIds: [1],
    trustedCounts: [1],
    untrustedCounts: [0],
  });
  begin('a', 199);
  for (const name of ['b', 'c', 'd']) begin(name);
  // Ten are left beyond the bases: five for each that wants some. Nobody earned d more than its base.
  expect(shares.allowances()).toMatchObject({
    limit: slots - 203,
    webhookIds: ['a', 'b', 'c', 'd'],
    counts: [0, 14, 14, 9],
  });
  expect(['a', 'b', 'c', 'd'].map((name) => shares.hasRoom(name))).toEqual([false, true, true, true]);
  end('a', 100);
  expect(shares.allowances().counts).toEqual([52, 62, 14, 9]);
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
] as const)('somebody may have been left for want of slots: %s', (_, underWay, taken, expected) => {
  const shares = new Shares();
  for (const one of underWay) shares.begin(one);
  expect(mayHaveLeftSome(shares.allowances(), taken)).toBe(expected);
  expect(mayHaveLeftSome({ ...shares.allowances(), limit: taken.length }, taken)).toBe(true);
});
