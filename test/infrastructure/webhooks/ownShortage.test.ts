import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answer } from '../../harness/receiver.ts';
import { onLoopback, post, receiver, sender } from './senders.ts';

/** Of util-linux: changes the limits of a process that runs. */
const prlimit = '/usr/bin/prlimit';

const limitDescriptors = (most: string) =>
  execFileSync(prlimit, [`--nofile=${most}:`, `--pid=${process.pid}`]);

/** Does something while this process has no descriptor left. */
async function withoutDescriptors<Result>(work: () => Promise<Result>): Promise<Result> {
  const [, usual = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  limitDescriptors('1024');
  const taken: number[] = [];
  try {
    try {
      for (;;) taken.push(openSync('/dev/null', 'r'));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EMFILE' });
    }
    return await work();
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
    limitDescriptors(usual);
  }
}

it.skipIf(!existsSync(prlimit))(
  'a connection that this machine lacks the descriptors for is no attempt, and the next is made',
  async () => {
    const target = await receiver(answer(200));
    const one = sender({ lookup: onLoopback, timeoutMs: 10_000 });
    const request = post(target.url());
    const attempt = await withoutDescriptors(() => one.send(request).catch((error: unknown) => error));
    expect(attempt).toMatchObject({ code: 'EMFILE', syscall: 'connect' });
    expect(one.stats()).toEqual({ attemptsUnderWay: 0, idleConnections: 0 });
    expect(await one.send(request)).toMatchObject({ ok: true });
    expect(target.connections).toBe(1);
  },
);
