import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { ConnectionRefusedError, Sequelize } from 'sequelize';
import { afterEach, expect, it, vi } from 'vitest';
import type { Platform } from '../../src/domain/platform.ts';
import type { FinishedAttempt } from '../../src/domain/webhooks/attemptRecording.ts';
import { KeptAttempts } from '../../src/domain/webhooks/keptAttempts.ts';
import { handConnections } from '../harness/handedConnections.ts';
import { silentLog } from '../harness/silentLog.ts';
import { failed } from './workerStage.ts';

const minuteMs = 60_000;

// What Node.js gives by name stays as it was when the whole is changed, unless it is told.
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/**
 * Has each pause of some work end as it begins. What else the process waits for meanwhile takes its time: whoever looks
 * again and again for what somebody outside does would look without end, and nobody else would have a turn.
 * @returns the pauses that there were, in milliseconds, once the work is over.
 */
async function withoutPauses(work: () => Promise<void>): Promise<number[]> {
  const pausesMs: number[] = [];
  const inWork = new AsyncLocalStorage<true>();
  const { setTimeout: pause } = timers;
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (pauseMs = 0, value, options) => {
    if (!inWork.getStore()) return (await pause(pauseMs, value, options)) as never;
    pausesMs.push(pauseMs);
    return value as never;
  });
  syncBuiltinESMExports();
  await inWork.run(true, work);
  return pausesMs;
}

it('while the database is away attempts are kept for most of an hour, with ever longer pauses of up to half a minute', async () => {
  const sequelize = new Sequelize('postgres://127.0.0.1:1/away');
  handConnections(sequelize, () =>
    Promise.reject(new ConnectionRefusedError(new Error('connect ECONNREFUSED'))),
  );
  const platform = { sequelize, log: silentLog, settings: { WEBHOOK_RETRY_DELAYS: [0] } };
  const at = new Date();
  const delivery = { id: '1', webhook_id: 'wh_1', event_id: 'evt_1', attempt_count: 0 };
  const attempt = { delivery, token: 'token', outcome: failed, startedAt: at, endedAt: at };
  const kept = new KeptAttempts('worker', platform as unknown as Platform);
  const pausesMs = await withoutPauses(() =>
    expect(kept.record(attempt as FinishedAttempt)).rejects.toThrow('connect ECONNREFUSED'),
  );
  expect(pausesMs.slice(0, 4)).toEqual([250, 375, 562.5, 843.75]);
  expect(pausesMs).toEqual(pausesMs.toSorted((one, other) => one - other));
  expect(Math.max(...pausesMs)).toBe(30_000);
  const keptMs = pausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0);
  expect(keptMs).toBeGreaterThan(40 * minuteMs);
  expect(keptMs).toBeLessThan(60 * minuteMs);
});
