import { expect, it } from 'vitest';
import type { SlotUse } from '../../src/domain/webhooks/shares.ts';
import { baseShare, Shares, slots } from '../../src/domain/webhooks/shares.ts';

const slotOf = (webhook_id: string): SlotUse => ({ webhook_id, wallet_id: 1, trusted: true });

function succeed(shares: Shares, webhookId: string, times: number): void {
  for (let time = 0; time < times; time += 1) shares.judge(webhookId, true);
}

function begin(shares: Shares, webhookId: string, times: number): void {
  for (let time = 0; time < times; time += 1) shares.begin(slotOf(webhookId));
}

/** A look that took as much of a webhook as it was allowed. */
function crowd(shares: Shares, webhookId: string): void {
  const allowances = { ...shares.allowances(slots), ofWebhooks: new Map([[webhookId, 1]]) };
  shares.noteTaken([slotOf(webhookId)], [webhookId], allowances);
}

const allowedTo = (shares: Shares) => Object.fromEntries(shares.allowances(slots).ofWebhooks);

it('those that have more waiting get equal parts of what is beyond their bases, also of what they earn later', () => {
  const shares = new Shares();
  const names = ['a', 'b', 'c'];
  for (const name of names) {
    begin(shares, name, 1);
    crowd(shares, name);
  }
  expect(allowedTo(shares)).toEqual({ a: 9, b: 9, c: 9 });
  for (const name of names) succeed(shares, name, 90);
  expect(allowedTo(shares)).toEqual({ a: 75, b: 75, c: 75 });
});

it('a webhook that had nothing under way may have more waiting once a look takes the whole base of it', () => {
  const shares = new Shares();
  const taken = (times: number) => Array.from({ length: times }, () => slotOf('a'));
  shares.noteTaken(taken(baseShare - 1), 'all', shares.allowances(slots));
  expect(shares.isWorthALook('a')).toBe(false);
  shares.noteTaken(taken(baseShare), 'all', shares.allowances(slots));
  expect(shares.isWorthALook('a')).toBe(true);
});

it('one that was allowed nothing is looked at when enough of its share is free, and not before', () => {
  const shares = new Shares();
  begin(shares, 'a', baseShare);
  expect(shares.noteTaken([], 'all', shares.allowances(slots))).toEqual([]);
  shares.end(slotOf('a'));
  shares.end(slotOf('a'));
  expect(shares.worthALookAfter('a')).toEqual(['a']);
});

it('while others have all that is beyond their bases, a webhook has its base and nothing more', () => {
  const shares = new Shares();
  for (const name of ['a', 'b', 'c']) succeed(shares, name, 90);
  for (const name of ['a', 'b']) begin(shares, name, 10 * baseShare);
  // Nothing is left of the 200 but 20.
  begin(shares, 'c', 3 * baseShare);
  begin(shares, 'd', baseShare / 2);
  succeed(shares, 'd', 90);
  for (const name of ['c', 'd']) crowd(shares, name);
  expect(allowedTo(shares)).toEqual({ a: 0, b: 0, c: 0, d: baseShare / 2 });
  expect(['c', 'd'].map((name) => shares.isWorthALook(name))).toEqual([false, true]);
  begin(shares, 'd', baseShare / 2);
  expect(shares.isWorthALook('d')).toBe(false);
});

it('those that want little and those that want much are both looked at when another gives something up', () => {
  const shares = new Shares();
  const earned = { little: 20, much: 90, more: 90, most: 90 };
  for (const [name, more] of Object.entries({ a: 90, ...earned })) succeed(shares, name, more);
  begin(shares, 'a', baseShare + 1);
  for (const name of Object.keys(earned)) crowd(shares, name);
  shares.end(slotOf('a'));
  expect(shares.worthALookAfter('a').sort()).toEqual(['little', 'more', 'most', 'much']);
});

it('what is too little for a part for each that has more waiting goes to one that has not', () => {
  const shares = new Shares();
  succeed(shares, 'resting', 90);
  begin(shares, 'resting', 1);
  for (let number = 0; number <= 200; number += 1) {
    succeed(shares, `one ${number}`, 1);
    crowd(shares, `one ${number}`);
  }
  expect(allowedTo(shares)).toEqual({ resting: 99 });
});
