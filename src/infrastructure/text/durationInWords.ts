const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

/** "24 hours", "90 minutes", "1 second" of as many milliseconds: in the largest of these units that it is a whole number of. */
export function durationInWords(durationMs: number): string {
  const [unit, unitMs] = units.find(([, length]) => durationMs % length === 0) ?? ['millisecond', 1];
  const count = durationMs / unitMs;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
