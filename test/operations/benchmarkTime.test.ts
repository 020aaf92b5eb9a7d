import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder, TimeBudget } from '../bench/timeBudget.ts';
import type { Work } from '../bench/work.ts';
import { hasRounds } from '../bench/work.ts';
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
  const { seconds, rounds } = run((work, chosen) => work.takes.once + chosen * work.takes.round);
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

const slowerBy = (factor: number, shareOfRounds: (work: Work) => number) =>
  run((work, chosen) => {
    const ofRound = work.takes.round * (1 + (factor - 1) * shareOfRounds(work));
    return factor * work.takes.once + chosen * ofRound;
  });

it('a host up to two fifths slower is done within ten minutes', () => {
  // Slices last as long on each host: a round is slower by what it counts and waits for, at most as much as the rest.
  const factor = fc.double({ min: 1, max: 1.4, noNaN: true });
  const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
  const shares = fc.array(share, { minLength: works.length, maxLength: works.length });
  fc.assert(
    fc.property(factor, shares, (slower, ofRounds) => {
      const { seconds } = slowerBy(slower, (work) => ofRounds[works.indexOf(work)] as number);
      expect(seconds + aroundSeconds).toBeLessThan(600);
    }),
  );
  expect(slowerBy(1.4, () => 1).seconds + aroundSeconds).toBeLessThan(600);
});

it('a host twice as slow takes longer, rather than fewer than three rounds', () => {
  expect(slowerBy(2, () => 1).rounds).toEqual([3]);
});
