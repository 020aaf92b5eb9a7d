const { Date: RealDate } = globalThis;

let aheadMs = 0;

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

export function restoreMachineClock(): void {
  globalThis.Date = RealDate;
}
