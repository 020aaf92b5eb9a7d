import { getHolidays, isBusinessDay } from '@brazilian-utils/brazilian-utils';
import { DateTime } from 'luxon';
import { bankZone } from '../text/brazilianText.ts';

const boletoValidityDays = 3;

/** Of the library: it takes no later day for a business day, and whoever counts those would count for ever. */
const lastYear = 2099;

function isCarnivalMonday(day: DateTime): boolean {
  // The library knows Carnival's Tuesday only, at local midnight.
  const tomorrow = day.plus({ days: 1 });
  return getHolidays({ year: tomorrow.year }).some(
    ({ name, date }) =>
      name.startsWith('Carnaval') &&
      date.getMonth() + 1 === tomorrow.month &&
      date.getDate() === tomorrow.day,
  );
}

/**
 * Whether banks settle on a calendar day: not on weekends, national holidays, Good Friday, Corpus Christi and the
 * Monday and Tuesday of Carnival (Resolução CMN 4.880/2020). State and city holidays do not count, and the last
 * weekday of the year does, although branches are closed.
 * @throws RangeError after 2099
 */
export function isBankBusinessDay(day: DateTime): boolean {
  if (day.year > lastYear) throw new RangeError(`No bank holidays are known after ${lastYear}`);
  // The library reads the local calendar day of a Date, so noon keeps the machine's own zone out of it.
  return isBusinessDay(new Date(day.year, day.month - 1, day.day, 12)) && !isCarnivalMonday(day);
}

/**
 * When a boleto made at `createdAt` expires: 23:59:59 in São Paulo on the third bank business day after the day of its
 * creation there (SPEC Limits, "3 business days").
 */
export function boletoDueAt(createdAt: Date): Date {
  let day = DateTime.fromJSDate(createdAt, { zone: bankZone }).startOf('day');
  for (let counted = 0; counted < boletoValidityDays; ) {
    day = day.plus({ days: 1 });
    if (isBankBusinessDay(day)) counted += 1;
  }
  return day.set({ hour: 23, minute: 59, second: 59, millisecond: 0 }).toJSDate();
}
