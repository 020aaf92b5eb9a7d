import os from 'node:os';

const { Date: RealDate } = globalThis;
const { uptime: realUptime } = os;

let aheadMs = 0;
let suspendedMs = 0;

/** What this process takes for the time: the machine's clock as if somebody had set it. It goes on as before. */
class SetDate extends RealDate {
  constructor(...parts: [] | [string | number | Date]) {
    if (parts.length === 0) super(RealDate.now() + aheadMs);
    else super(...parts);
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }

  /** Those that were made before are dates, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Date]';
  }
}

/** Sets the machine's clock so far ahead of what it was at first; the monotonic clock is left alone. */
export function setMachineClock(milliseconds: number): void {
  aheadMs = milliseconds;
  globalThis.Date = SetDate as DateConstructor;
}

/** Has the machine be suspended for so long: its clock and its uptime go on, the monotonic clock does not. */
export function suspendMachine(milliseconds: number): void {
  suspendedMs += milliseconds;
  os.uptime = () => realUptime() + suspendedMs / 1_000;
  setMachineClock(aheadMs + milliseconds);
}

export function restoreMachineClock(): void {
  aheadMs = 0;
  suspendedMs = 0;
  globalThis.Date = RealDate;
  os.uptime = realUptime;
}
