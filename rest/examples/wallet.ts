import type { WalletBalance, WalletTransactions } from '../../schema/wallet.ts';
import { booking } from './bookings.ts';
import { completedRecharge } from './recharges.ts';

/** After a recharge and a booking. */
export const walletBalance: WalletBalance = {
  balance: '4438.50',
  currency: 'BRL',
  availableCredit: '4438.50',
  pendingAmount: '0.00',
  lastTransactionAt: booking.createdAt,
};

export const walletTransactions: WalletTransactions = {
  transactions: [
    {
      id: booking.transactionId!,
      type: 'debit',
      amount: booking.totalAmount,
      currency: 'BRL',
      description: `Booking ${booking.bookingReference}`,
      referenceType: 'booking',
      referenceId: booking.id,
      balanceAfter: walletBalance.balance,
      paymentMethod: null,
      createdAt: booking.createdAt,
    },
    {
      id: completedRecharge.transactionId!,
      type: 'credit',
      amount: completedRecharge.amount,
      currency: 'BRL',
      description: 'Recharge by PIX',
      referenceType: 'recharge',
      referenceId: completedRecharge.id,
      balanceAfter: completedRecharge.amount,
      paymentMethod: 'pix',
      createdAt: completedRecharge.paidAt!,
    },
  ],
  pagination: { page: 1, limit: 20, total: 2, pages: 1 },
  summary: {
    totalCredits: completedRecharge.amount,
    totalDebits: booking.totalAmount,
    periodStart: '2026-11-20',
    periodEnd: '2026-11-20',
  },
};
