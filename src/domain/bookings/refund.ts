import { StrictDecimal } from '../../infrastructure/strictDecimal.ts';
import { centsOf } from '../money.ts';
import type { BookingRow } from './booking.ts';

/**
 * What a cancellation before departure gives back, in centavos: the price less the penalty of the offer's conditions,
 * which is in the offer's currency, at the rate that the offer was priced with, rounded half up once; nothing when the
 * conditions allow no refund or name no penalty, and never less than nothing.
 */
export function refundCentsOf({ amount_cents, terms }: Pick<BookingRow, 'amount_cents' | 'terms'>): bigint {
  const { allowed, penaltyAmount } = terms.conditions.refundBeforeDeparture;
  if (!allowed || penaltyAmount === null) return 0n;
  const penalty = new StrictDecimal(penaltyAmount)
    .times(terms.exchangeRate)
    .toFixed(2, StrictDecimal.roundHalfUp);
  const refundCents = BigInt(amount_cents) - centsOf(penalty);
  return refundCents > 0n ? refundCents : 0n;
}
