import { expect, it } from 'vitest';
import { LoopShare } from '../../src/infrastructure/loopShare.ts';
import { monotonicClock } from '../harness/monotonicClock.ts';

/** Keeps the process busy for longer than its share of a turn. */
function workLong(): void {
  const begunMs = performance.now();
  while (performance.now() - begunMs < 15);
}

it('Whoever comes later than all the work of another waits for one piece of it', async () => {
  const share = new LoopShare();
  const done: string[] = [];
  const work = (subject: string) =>
    share.do(subject, () => {
      workLong();
      done.push(subject);
    });
  const working = [...Array.from({ length: 4 }, () => work('many')), work('one')];
  expect(done).toEqual(['many']);
  await Promise.all(working);
  expect(done.slice(0, 3)).toContain('one');
  expect(done).toHaveLength(5);
});

it('A failure is told to whoever asked for the work, and the rest is done', async () => {
  const share = new LoopShare();
  const fail = () => {
    throw new Error('no');
  };
  expect(() => share.do('one', fail)).toThrow('no');
  share.do('one', workLong);
  const failing = share.do('one', fail);
  const next = share.do('one', () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

it('Short pieces are done in turns when together they take longer than a share', async () => {
  const share = new LoopShare();
  const clock = monotonicClock();
  let done = 0;
  const working = Array.from({ length: 10 }, () =>
    share.do('one', () => {
      clock.pass(4);
      done += 1;
    }),
  );
  expect(done).toBeLessThan(10);
  await Promise.all(working);
  expect(done).toBe(10);
});
