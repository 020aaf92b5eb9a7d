import { validationError } from '../../errors.ts';
import { parseAmount } from '../money.ts';
import { amountMismatch } from './refusals.ts';

/** How a booking is paid (SPEC: payments of type balance with amount and currency), as the client sent it. */
export interface BookingPayment {
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
}

/**
 * Checks that the payments are one of exactly the price.
 * @throws AppError 400 when there is not one payment, 422 "Payment amount does not match" with both amounts.
 */
export function checkPayments(payments: readonly BookingPayment[], amountCents: bigint): void {
  const [payment, ...more] = payments;
  if (!payment) throw validationError({ field: 'payments', type: 'required' });
  if (more.length > 0) throw validationError({ field: 'payments', type: 'too_many' });
  const paidCents = parseAmount(payment.amount);
  if (paidCents === null) throw validationError({ field: 'payments.0.amount', type: 'invalid' });
  if (paidCents === amountCents) return;
  throw amountMismatch(paidCents, amountCents);
}
