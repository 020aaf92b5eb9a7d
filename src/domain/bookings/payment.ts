import type { FieldFault } from '../../errors.ts';
import { validationError } from '../../errors.ts';
import { centsOfAmount } from '../money.ts';
import type { BookingType } from './booking.ts';
import { amountMismatch } from './refusals.ts';

/** How a booking is paid (SPEC: payments of type balance with amount and currency), as the client sent it. */
export interface BookingPayment {
  readonly type: string;
  readonly amount: string;
  readonly currency: string;
}

/**
 * What is wrong with how many payments there are. A booking has one, which a hold may leave to its confirmation.
 * @param type undefined where it is not known; then nothing that it decides is a fault.
 */
export function paymentFaults(
  type: BookingType | undefined,
  payments: readonly unknown[] | null | undefined,
): FieldFault[] {
  const isMissing = payments ? payments.length === 0 : type === 'instant';
  if (isMissing) return [{ field: 'payments', type: 'required' }];
  return payments && payments.length > 1 ? [{ field: 'payments', type: 'too_many' }] : [];
}

/** The payment of a booking, null where there is none yet. @throws AppError 400 as `paymentFaults` says. */
export function readPayment(
  type: BookingType,
  payments: readonly BookingPayment[] | null,
): BookingPayment | null {
  const faults = paymentFaults(type, payments);
  if (faults.length > 0) throw validationError(faults);
  return payments?.[0] ?? null;
}

/** Checks that what is paid is exactly the price. @throws AppError 422 "Payment amount does not match" with both amounts. */
export function checkPayment({ amount }: BookingPayment, amountCents: bigint): void {
  const paidCents = centsOfAmount(amount);
  if (paidCents !== amountCents) throw amountMismatch(paidCents, amountCents);
}
