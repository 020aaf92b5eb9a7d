import type { Level } from 'pino';
import { pino } from 'pino';

/** Which program writes the lines. */
export const service = 'embarque';

let timedMs = 0;
let timeMember = '';

/** The time of a line, ISO 8601 UTC, as pino wants it. Many lines are written in one millisecond. */
export function timeOfLine(): string {
  const nowMs = Date.now();
  if (nowMs !== timedMs) {
    timedMs = nowMs;
    timeMember = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return timeMember;
}

/** What a line begins with, as pino has it. */
export const openingOf = (level: Level): string =>
  `{"level":${pino.levels.values[level]}${timeOfLine()},"service":"${service}"`;
