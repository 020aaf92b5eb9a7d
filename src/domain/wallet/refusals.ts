import { unprocessable } from '../../errors.ts';
import { formatAmount } from '../money.ts';

/** What is refused of wallets, each made in one place: the documentation shows the very same. */

/** 422: the available credit does not cover an amount; what there is of it is told where it is known. */
export const insufficientBalance = (amountCents: bigint | string, availableCents?: bigint | string) =>
  unprocessable(
    'Insufficient balance',
    {
      amount: formatAmount(amountCents),
      ...(availableCents === undefined ? {} : { available_credit: formatAmount(availableCents) }),
    },
    'INSUFFICIENT_BALANCE',
  );
