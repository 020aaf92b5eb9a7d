import { AppError, conflict, notFound, unprocessable, validationError } from '../../errors.ts';
import type { PayerFault } from '../../infrastructure/payments/provider.ts';
import { formatAmount } from '../money.ts';
import type { RechargeStatus } from './recharge.ts';

/** What is refused of recharges, each made in one place: the documentation shows the very same. */

export const rechargeNotFound = () => notFound('Recharge');

/** SPEC Limits, in centavos: of one recharge, and of those of a day. */
export const minimumRechargeCents = 100_00n;
export const maximumRechargeCents = 50_000_00n;
export const dailyRechargeCents = 100_000_00n;

/** SPEC, per-endpoint conditions of POST wallet/recharge. */
export const amountTooSmall = () =>
  validationError(
    { field: 'amount', type: 'too_small' },
    `Minimum amount is R$ ${formatAmount(minimumRechargeCents)}`,
  );

/** DESIGN §4 "Maximum recharge". */
export const amountTooLarge = () =>
  validationError(
    { field: 'amount', type: 'too_large' },
    `Maximum amount is R$ ${formatAmount(maximumRechargeCents)}`,
  );

export const dailyLimitExceeded = () =>
  unprocessable('Daily limit exceeded', { field: 'amount', type: 'daily_limit' });

const ofMethod = (message: string, type: string) => unprocessable(message, { field: 'paymentMethod', type });

export const providerNotConnected = () => ofMethod('Payment provider not connected', 'not_connected');

export const methodNotAvailable = () => ofMethod('Payment method not available', 'not_available');

/**
 * 422, by what a payment provider finds wrong with the agency as payer: it can choose another method, or have an operator
 * mend what is registered of it.
 */
export const payerRefusals: Readonly<Record<PayerFault, AppError>> = {
  tax_id_required: ofMethod('Agency CPF or CNPJ required', 'tax_id_required'),
  address_required: ofMethod('Agency address required', 'address_required'),
  refused: ofMethod('Agency refused by payment provider', 'payer_refused'),
};

/** No fault of the request, which may be sent again with the same Idempotency-Key: SPEC has no other status for it. */
export const providerUnavailable = new AppError('INTERNAL_ERROR', 'Payment provider unavailable', {
  details: { type: 'provider_unavailable' },
});

/** 409: the recharge has ended. */
export const alreadyEnded = (status: RechargeStatus) =>
  conflict(`Recharge already ${status}`, { field: 'status', type: status });
