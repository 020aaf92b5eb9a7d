import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../harness/client.ts';
import { monotonicClock } from '../../harness/monotonicClock.ts';
import { answer, type Behaviour } from '../../harness/receiver.ts';
import { minuteMs } from '../../harness/testClock.ts';
import { onLoopback, post, receiver, sender } from './senders.ts';

describe('connections that are kept', () => {
  it('are used again that were used last, and beside those that are closed the others', async () => {
    const answers = new Map<string, (behaviour: Behaviour) => void>();
    const sockets: TLSSocket[] = [];
    const target = await receiver((request, socket) => {
      sockets.push(socket);
      answers.set(request.path, (behaviour) => behaviour(request, socket));
    });
    const one = sender({ timeoutMs: 600_000 });
    const clock = monotonicClock();
    const begin = async (path: string) => {
      const attempt = one.send(post(target.url(path)));
      const reply = await eventually(() => answers.get(path));
      return async (behaviour = answer(200)) => {
        reply(behaviour);
        await attempt;
        return target.requests.find((request) => request.path === path)?.connection;
      };
    };
    const held = [await begin('/1'), await begin('/2'), await begin('/3')];
    const kept: unknown[] = [];
    for (const finish of held) kept.push(await finish());
    sockets[0]?.destroy();
    await eventually(() => one.stats().idleConnections === 2);
    expect(await (await begin('/4'))()).toBe(kept[2]);
    expect(await (await begin('/5'))(answer(200, '', { 'Keep-Alive': 'timeout=2' }))).toBe(kept[2]);
    clock.pass(1_000);
    expect(await (await begin('/6'))()).toBe(kept[1]);
    await one.close();
    // The one that was idle for too long was not left to itself.
    await eventually(() => target.openSockets() === 0);
  });

  it('are looked at by one timer, which ends with the last of them', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const target = await receiver(answer(200));
    const one = sender({ timeoutMs: 600_000 });
    const clock = monotonicClock();
    for (let round = 0; round < 2; round += 1) {
      await Promise.all([one.send(post(target.url())), one.send(post(target.url()))]);
      expect(one.stats().idleConnections).toBe(2);
      // Beside it there is one for what receivers send that is no answer.
      expect(vi.getTimerCount()).toBe(2);
      clock.pass(4_000);
      vi.advanceTimersByTime(1_000);
      expect(one.stats().idleConnections).toBe(0);
      await eventually(() => vi.getTimerCount() === 0);
    }
  });

  it('to each host that broke one are not trusted for ten minutes', async () => {
    const target = await receiver(answer(200));
    const one = sender({ lookup: onLoopback, timeoutMs: 3_600_000 });
    const clock = monotonicClock();
    const send = (host: string) => one.send(post(target.url('/', host)));
    const hosts = ['a.receiver.test', 'b.receiver.test'];
    for (const host of hosts) {
      target.behave(answer(200));
      await send(host);
      target.behave((_request, socket) => socket.destroy());
      await send(host);
    }
    target.behave(answer(200));
    const trusted = async () => {
      for (const host of hosts) await send(host);
      return target.requests.slice(-2).map(({ headers }) => headers.connection !== 'close');
    };
    expect(await trusted()).toEqual([false, false]);
    clock.pass(10 * minuteMs - 1);
    expect(await trusted()).toEqual([false, false]);
    clock.pass(2);
    expect(await trusted()).toEqual([true, true]);
  });
});
