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

/**
 * What JSON leaves as it is, and terminals take for commands, some readers of logs for the end of a line, and screens for the
 * direction of what follows: others say it, in the name of a page or of what went wrong.
 */
const unshown = /[\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/gu;

/** The same line, or part of one, of which nothing acts on who looks at it. */
export const harmless = (line: string): string =>
  line.replace(unshown, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
