import type { FieldFault } from './errors.ts';

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** Whether text is a calendar day YYYY-MM-DD that exists, from year 1 on. */
export function isDay(text: string): boolean {
  if (!dayPattern.test(text) || text < '0001') return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The UTC day of an instant, YYYY-MM-DD. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Faults of a period whose ends are optional UTC days, both inclusive. */
export function periodFaults(
  start: { field: string; day: string | null },
  end: { field: string; day: string | null },
): FieldFault[] {
  const faults = [start, end].flatMap(({ field, day }) =>
    day !== null && !isDay(day) ? [{ field, type: 'invalid' }] : [],
  );
  if (faults.length === 0 && start.day !== null && end.day !== null && start.day > end.day) {
    faults.push({ field: start.field, type: 'after_end' });
  }
  return faults;
}
