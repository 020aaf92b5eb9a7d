import { validationError } from '../errors.ts';

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** Whether text is a calendar day YYYY-MM-DD that exists, from year 1 on. */
export function isDay(text: string): boolean {
  if (!dayPattern.test(text) || text < '0001') return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Whether text is an instant in ISO 8601 with a zone, on a day that exists. */
export function isInstant(text: string): boolean {
  const day = instantPattern.exec(text)?.[1];
  return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(text));
}

/** The UTC day of an instant, YYYY-MM-DD. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** @throws AppError 400 for a period of UTC days, both inclusive, whose start is after its end. */
export function checkPeriod(startDate: string | null, endDate: string | null): void {
  if (startDate !== null && endDate !== null && startDate > endDate) {
    throw validationError({ field: 'startDate', type: 'after_end' });
  }
}
