import { pino } from 'pino';
import { expect, it } from 'vitest';
import { RepeatedFaults } from '../../../src/infrastructure/observability/repeatedFaults.ts';
import { monotonicClock } from '../../harness/monotonicClock.ts';
import { minuteMs } from '../../harness/testClock.ts';
import { unreadable } from '../../harness/unreadable.ts';

it('faults that never use the same words twice are told a hundred times a minute in all', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const faults = new RepeatedFaults(log, 10, 'warn');
  for (let met = 0; met < 500; met += 1) faults.tell('not done', new Error(`request ${met}`), { met });
  expect(lines.map((line) => JSON.parse(line).met)).toEqual(Array.from({ length: 100 }, (_, met) => met));
});

it('faults that cannot be read are of one kind, and so are those that differ after two hundred characters', () => {
  const lines: string[] = [];
  const log = pino({ serializers: { err: () => null } }, { write: (line: string) => void lines.push(line) });
  const faults = new RepeatedFaults(log, 1, 'warn');
  for (let met = 0; met < 2; met += 1) {
    faults.tell('not done', unreadable('503'), { met });
    faults.tell('not done', new Error('x'.repeat(200) + met), { met });
  }
  expect(lines.map((line) => JSON.parse(line).met)).toEqual([0, 0]);
});

it('how many faults went untold is told with the next, and is those since the last that was', () => {
  const clock = monotonicClock();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const faults = new RepeatedFaults(log, 1, 'warn');
  for (const times of [3, 2, 1, 1]) {
    for (let met = 0; met < times; met += 1) faults.tell('not done', new Error('503'), {});
    clock.pass(minuteMs);
  }
  expect(lines.map((line) => JSON.parse(line).untold)).toEqual([0, 2, 1, 0]);
});
