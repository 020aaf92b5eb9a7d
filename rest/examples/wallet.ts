import type { WalletBalance, WalletTransaction, WalletTransactions } from '../../schema/wallet.ts';
import { credit, debit } from '../../src/domain/events/examples.ts';
import { inCamelCase } from '../../src/domain/memberNames.ts';

/** After a recharge and a booking. */
export const walletBalance: WalletBalance = {
  balance: debit.balance_after,
  currency: 'BRL',
  availableCredit: debit.balance_after,
  pendingAmount: '0.00',
  lastTransactionAt: debit.created_at,
};

export const walletTransactions: WalletTransactions = {
  transactions: [debit, credit].map((entry) => inCamelCase<WalletTransaction>(entry)),
  pagination: { page: 1, limit: 20, total: 2, pages: 1 },
  summary: {
    totalCredits: credit.amount,
    totalDebits: debit.amount,
    periodStart: '2026-11-20',
    periodEnd: '2026-11-20',
  },
};
