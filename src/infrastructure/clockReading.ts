/** Both clocks of this machine at one moment, in milliseconds. */
export interface ClockReading {
  readonly monotonicMs: number;
  readonly machineMs: number;
}

export const readClocks = (): ClockReading => ({ monotonicMs: performance.now(), machineMs: Date.now() });

/**
 * The longest that may have passed since a reading, in milliseconds: for what must not be believed, kept or gone on with for
 * too long. The monotonic clock of Linux stands still while the machine is suspended, and the other one may be set back.
 */
export const longestSince = ({ monotonicMs, machineMs }: ClockReading): number =>
  Math.max(performance.now() - monotonicMs, Date.now() - machineMs);
