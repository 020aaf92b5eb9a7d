import type { Big } from 'big.js';
import { StrictDecimal } from '../../strictDecimal.ts';
import type { DayRate } from '../rateStore.ts';
import type { Closing } from './bulletins.ts';

/** The largest step from one closing to the next that is taken for true. The real has not made one since it floats (1999). */
const longestStep = new StrictDecimal('0.2');

/** Closings that are used, and those that are not, the earliest first. */
export interface Judged {
  readonly believed: readonly DayRate[];
  readonly doubted: readonly Closing[];
}

/**
 * Which closings may be sold at. One that differs by more than a fifth from what came before is more likely a slip of
 * whoever published it than a market: the rate before it stays in use until the next closing confirms the one or the
 * other. A first closing ever is confirmed by the second, of which ten days have several.
 * @param known what was believed before, the earliest first
 * @throws Error when a day gone by has a rate that is far from the one it had, and from the closing before it as well:
 *   then nothing of the answer is believed. The correction of a slip that was believed is near the one before.
 */
export function judgeClosings(closings: readonly Closing[], known: readonly DayRate[]): Judged {
  const rateOn = new Map(known.map(({ day, rate }) => [day, rate]));
  const believed: DayRate[] = [];
  const doubted: Closing[] = [];
  let lastBelieved = known.findLast(({ day }) => day < (closings[0]?.day ?? ''))?.rate;
  let before: Big | undefined;
  for (const closing of closings) {
    const { day, rate, quotedAt } = closing;
    const sameDay = rateOn.get(day);
    const dayBefore = known.findLast((other) => other.day < day)?.rate;
    if (sameDay && rate && ![sameDay, dayBefore].some((other) => other && areNear(other, rate)))
      throw new Error(`${closing.told} on ${day}, which was ${sameDay.toFixed()}`);
    if (rate && [sameDay, lastBelieved, before].some((other) => other && areNear(other, rate))) {
      believed.push({ day, rate, quotedAt });
      lastBelieved = rate;
    } else doubted.push(closing);
    before = rate ?? before;
  }
  return { believed, doubted };
}

/**
 * Whether these are the closings of one and the same currency. An answer does not say what it is of: a mirror that passes
 * over the question, or a cache that mixes answers up, would have euros sold as dollars, a step too small to be doubted.
 * On a single day two currencies may have the same rate.
 */
export function areOfOneCurrency(some: readonly Closing[], others: readonly Closing[]): boolean {
  const toldOn = new Map(others.map(({ day, told }) => [day, told]));
  const shared = some.filter(({ day }) => toldOn.has(day));
  return shared.length > 1 && shared.every(({ day, told }) => toldOn.get(day) === told);
}

const areNear = (one: Big, other: Big): boolean => one.minus(other).abs().lte(one.times(longestStep));
