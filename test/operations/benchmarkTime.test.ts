import { expect, it } from 'vitest';
import { inOrder, TimeBudget } from '../bench/timeBudget.ts';
import type { Length, Work } from '../bench/work.ts';
import { hasRounds, lengthOf } from '../bench/work.ts';
import { works } from '../bench/works/index.ts';

/** What the command takes besides its works: compiling a clean clone, starting, and reporting. */
const aroundSeconds = 20;

/** A run in which each work takes as long as `secondsOfWork` says. */
function run(secondsOfWork: (work: Work, rounds: number) => number) {
  const budget = new TimeBudget(5);
  const ordered = inOrder(works);
  let seconds = 0;
  const rounds = new Set<number>();
  for (const [index, work] of ordered.entries()) {
    const chosen = budget.rounds(ordered.slice(index));
    const took = secondsOfWork(work, chosen);
    seconds += took;
    budget.spend(work, chosen, took);
    if (hasRounds(work)) rounds.add(chosen);
  }
  return { seconds, rounds: [...rounds], order: ordered };
}

it('the usual host measures everything in five rounds', () => {
  const { seconds, rounds } = run(({ takes }, chosen) => lengthOf(takes, chosen));
  expect(rounds).toEqual([5]);
  expect(seconds + aroundSeconds).toBeLessThan(600);
});

it('what has no rounds comes first, and nothing is left out', () => {
  const { order } = run(() => 1);
  expect(new Set(order)).toEqual(new Set(works));
  const first = order.findIndex(hasRounds);
  expect(order.slice(first).every(hasRounds)).toBe(true);
  expect(first).toBe(works.filter((work) => !hasRounds(work)).length);
});

/** Slices of a given time last as long on each host. */
const slowerBy = (factor: number) =>
  run(({ takes: { once, round, timed } }, chosen) => factor * once + chosen * round * (timed ? 1 : factor));

it('a host up to half as slow again is done within ten minutes', () => {
  for (let factor = 1; factor <= 1.5; factor += 0.01)
    expect(slowerBy(factor).seconds + aroundSeconds, `a host ${factor} times as slow`).toBeLessThan(600);
});

it('only what slows with the host is taken to last longer there', () => {
  const workOf = (takes: Length): Work => ({ title: '', takes, needs: [], run: () => Promise.reject() });
  const [fixed, timed, counted] = [
    workOf({ once: 100, round: 0 }),
    workOf({ once: 0, round: 60, timed: true }),
    workOf({ once: 0, round: 20 }),
  ];
  const budget = new TimeBudget(5);
  // Half as slow again: 410 s of 560 are left, for 90 s a round.
  budget.spend(fixed, 5, 150);
  expect(budget.rounds([timed, counted])).toBe(4);
  // That slices take their time says nothing of the rest: 170 s are left, for 30 s a round.
  budget.spend(timed, 4, 240);
  expect(budget.rounds([counted])).toBe(5);
});

it('a host that is slower still takes longer, rather than fewer than three rounds', () => {
  expect(slowerBy(3).rounds).toEqual([3]);
});
