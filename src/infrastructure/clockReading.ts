import os from 'node:os';

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

/** All clocks of this machine at one moment, in milliseconds: `bootMs` goes on while it is suspended, and nobody sets it. */
export interface FullClockReading extends ClockReading {
  readonly bootMs: number;
}

/** Costs a call of the system beyond what `readClocks` does. In hundredths of a second on Linux, in seconds elsewhere. */
export const readAllClocks = (): FullClockReading => ({ ...readClocks(), bootMs: os.uptime() * 1_000 });

/** What passed from one reading to the next, time in which the machine was suspended included; in milliseconds. */
export const passedBetween = (from: FullClockReading, to: FullClockReading): number =>
  Math.max(to.monotonicMs - from.monotonicMs, to.bootMs - from.bootMs);
