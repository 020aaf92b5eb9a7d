import { expect, it } from 'vitest';
import { LoopRuns } from '../../src/infrastructure/loopRuns.ts';
import { monotonicClock } from '../harness/monotonicClock.ts';

it('A run that goes on and on waits, too: other things are done between its pieces', async () => {
  const runs = new LoopRuns();
  const clock = monotonicClock();
  const run = {};
  const most = 1_000;
  let pieces = 0;
  let isOver = false;
  const running = (async () => {
    while (!isOver && pieces < most) {
      await runs.enter('one', run);
      clock.pass(4);
      pieces += 1;
    }
  })();
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  await running;
  expect(pieces).toBeLessThan(most);
});

it('What a run does before it has to wait is done in one piece, and subjects take turns', async () => {
  const runs = new LoopRuns();
  const clock = monotonicClock();
  const done: string[] = [];
  const go = async (subject: string, name: string) => {
    const run = {};
    for (let piece = 0; piece < 2; piece += 1) {
      await runs.enter(subject, run);
      clock.pass(6);
      done.push(name);
    }
  };
  await Promise.all([go('many', 'a'), go('many', 'b'), go('many', 'c'), go('one', 'd')]);
  expect(done.slice(0, 4)).toEqual(['a', 'a', 'b', 'b']);
  expect(done.slice(4, 6)).toEqual(['d', 'd']);
  expect(done.slice(6)).toEqual(['c', 'c']);
});
