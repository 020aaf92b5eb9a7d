import { describe, expect, it } from 'vitest';
import { Looks } from '../../src/infrastructure/looks.ts';
import { createLog } from '../../src/infrastructure/observability/log.ts';
import { Outage } from '../../src/infrastructure/observability/outage.ts';
import { eventually } from '../harness/client.ts';

/** Looks of which each ends as told, and what the log says of them. */
function looksThat(end: (count: number) => Promise<boolean>) {
  const told: string[] = [];
  const log = createLog('info', { write: (line: string) => void told.push(JSON.parse(line).msg) });
  let count = 0;
  const look = () => {
    count += 1;
    return end(count);
  };
  const looks = new Looks(look, new Outage(log, { lost: 'away', back: 'here' }));
  return { looks, count: () => count, told };
}

describe('Who is woken', () => {
  it('looks once more after the look under way, however often that was', async () => {
    const { looks, count } = looksThat(async () => false);
    looks.wake();
    looks.wake();
    await looks.looked();
    expect(count()).toBe(2);
  });

  it('looks on while there may be more', async () => {
    const { looks, count } = looksThat(async (looked) => looked < 5);
    await looks.wake();
    expect(count()).toBe(5);
  });

  it('is waited for until a look that began after that is over, however many there are behind it', async () => {
    let goOn: () => void = () => undefined;
    const { looks, count } = looksThat(
      () =>
        new Promise((resolve) => {
          goOn = () => resolve(true);
        }),
    );
    looks.wake();
    let isOver = false;
    const looked = looks.looked().then(() => {
      isOver = true;
    });
    goOn();
    await eventually(() => count() === 2);
    expect(isOver).toBe(false);
    goOn();
    await looked;
    expect(count()).toBe(3);
    const stopping = looks.stop();
    goOn();
    await stopping;
  });

  it('looks after that, at whatever moment of a look it is', async () => {
    for (let moment = 0; moment < 12; moment += 1) {
      const { looks, count } = looksThat(async () => false);
      const first = looks.looked();
      for (let passed = 0; passed < moment; passed += 1) await null;
      await looks.looked();
      await first;
      expect([moment, count()]).toEqual([moment, 2]);
    }
  });

  it('leaves a look that fails to the next waking, and says once that it fails', async () => {
    const { looks, count, told } = looksThat(async (looked) => {
      if (looked < 3) throw new Error('no answer');
      return false;
    });
    looks.wake();
    await looks.looked();
    expect(count()).toBe(1);
    await looks.looked();
    await looks.looked();
    expect([count(), told]).toEqual([3, ['away', 'here']]);
  });

  it('looks no more once it is stopped, which waits for the look under way', async () => {
    let end: (mayBeMore: boolean) => void = () => undefined;
    const { looks, count } = looksThat(
      () =>
        new Promise((resolve) => {
          end = resolve;
        }),
    );
    looks.wake();
    let stopped = false;
    const stopping = looks.stop().then(() => {
      stopped = true;
    });
    await new Promise(setImmediate);
    expect(stopped).toBe(false);
    end(true);
    await stopping;
    await looks.looked();
    expect(count()).toBe(1);
  });
});
