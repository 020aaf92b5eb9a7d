import { walletBalance, walletTransactions } from '../examples/wallet.ts';
import type { Route } from '../route.ts';

export const walletRoutes: readonly Route[] = [
  {
    name: 'getWalletBalance',
    method: 'get',
    path: '/wallet/balance',
    status: 200,
    envelope: 'data',
    tag: 'Wallet',
    summary: 'Wallet balance',
    answerExample: walletBalance,
    document: `query GetWalletBalance {
      walletBalance {
        balance
        currency
        available_credit: availableCredit
        pending_amount: pendingAmount
        last_transaction_at: lastTransactionAt
      }
    }`,
  },
  {
    name: 'listWalletTransactions',
    method: 'get',
    path: '/wallet/transactions',
    status: 200,
    envelope: 'data',
    tag: 'Wallet',
    summary: 'Wallet transactions, newest first',
    answerExample: walletTransactions,
    document: `query ListWalletTransactions(
      $page: PageNumber = 1, $limit: PageSize = 20, $type: TransactionType, $start_date: Day, $end_date: Day
    ) {
      walletTransactions(page: $page, limit: $limit, type: $type, startDate: $start_date, endDate: $end_date) {
        transactions {
          id
          type
          amount
          currency
          description
          reference_type: referenceType
          reference_id: referenceId
          balance_after: balanceAfter
          payment_method: paymentMethod @omitNull
          created_at: createdAt
        }
        pagination { page limit total pages }
        summary {
          total_credits: totalCredits
          total_debits: totalDebits
          period_start: periodStart
          period_end: periodEnd
        }
      }
    }`,
  },
];
