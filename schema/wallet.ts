import { Arg, Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { tenantOf } from '../src/domain/admission.ts';
import { checkPeriod } from '../src/domain/day.ts';
import { formatAmount } from '../src/domain/money.ts';
import { readBalance } from '../src/domain/wallet/balance.ts';
import type { EntryRow, EntryType } from '../src/domain/wallet/transactions.ts';
import { listTransactions } from '../src/domain/wallet/transactions.ts';
import { badValueMessages } from '../src/errors.ts';
import { Checks } from './argumentChecks.ts';
import { enumType } from './enumType.ts';
import { Operation } from './operation.ts';
import { LimitArg, PageArg, Pagination } from './pagination.ts';
import { Amount, DateTime, Day } from './scalars.ts';
import { IsDay } from './textForms.ts';

export const Currency = enumType({
  name: 'Currency',
  description: 'Wallets are kept in Brazilian reais only.',
  values: {
    BRL: 'Brazilian real.',
  },
  badValue: badValueMessages.currency,
});

const TransactionType = enumType<EntryType>({
  name: 'TransactionType',
  description: 'Direction of a wallet transaction.',
  values: {
    credit: 'Inflow.',
    debit: 'Outflow.',
  },
});

const ReferenceType = enumType({
  name: 'ReferenceType',
  description: 'What a wallet transaction stems from.',
  values: {
    booking: 'The payment of a booking.',
    recharge: 'A recharge: its payment, or its return by the bank.',
    refund: 'Money back for a booking.',
  },
});

@ObjectType({
  description: 'The prepaid balance of the team, in the mode of the key.',
  simpleResolvers: true,
})
export class WalletBalance {
  @Field(() => Amount, { description: 'Total balance.' })
  declare balance: string;

  @Field(() => Currency, { description: 'Always BRL.' })
  declare currency: string;

  @Field(() => Amount, { description: 'What a debit or a hold may use: balance less pending amount.' })
  declare availableCredit: string;

  @Field(() => Amount, { description: 'Amount held by pending bookings.' })
  declare pendingAmount: string;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last movement; null before the first.' })
  declare lastTransactionAt: string | null;
}

@ObjectType({ description: 'One entry of the wallet’s ledger.', simpleResolvers: true })
export class WalletTransaction {
  @Field(() => String, { description: 'Unique id, prefix txn_.' })
  declare id: string;

  @Field(() => TransactionType, { description: 'credit (inflow) or debit (outflow).' })
  declare type: string;

  @Field(() => Amount, { description: 'Amount moved.' })
  declare amount: string;

  @Field(() => Currency, { description: 'Always BRL.' })
  declare currency: string;

  @Field(() => String, { description: 'Text description.' })
  declare description: string;

  @Field(() => ReferenceType, { description: 'What the transaction stems from.' })
  declare referenceType: string;

  @Field(() => String, { description: 'Id of the booking or recharge; for refunds that of the booking.' })
  declare referenceId: string;

  @Field(() => Amount, { description: 'Balance after the transaction.' })
  declare balanceAfter: string;

  @Field(() => String, { nullable: true, description: 'Payment method; present for recharge credits.' })
  declare paymentMethod: string | null;

  @Field(() => DateTime, { description: 'Time of the transaction.' })
  declare createdAt: string;
}

@ObjectType({
  description: 'Sums over all transactions of the filter, not only the page.',
  simpleResolvers: true,
})
export class TransactionSummary {
  @Field(() => Amount, { description: 'Sum of the credits.' })
  declare totalCredits: string;

  @Field(() => Amount, { description: 'Sum of the debits.' })
  declare totalDebits: string;

  @IsDay()
  @Field(() => String, { description: 'First UTC day of the period, YYYY-MM-DD.' })
  declare periodStart: string;

  @IsDay()
  @Field(() => String, { description: 'Last UTC day of the period, YYYY-MM-DD.' })
  declare periodEnd: string;
}

@ObjectType({ description: 'A page of the ledger, newest first.', simpleResolvers: true })
export class WalletTransactions {
  @Field(() => [WalletTransaction], { description: 'The entries of the page.' })
  declare transactions: WalletTransaction[];

  @Field(() => Pagination, { description: 'Number of the page, and the totals.' })
  declare pagination: Pagination;

  @Field(() => TransactionSummary, { description: 'Sums over the filter.' })
  declare summary: TransactionSummary;
}

function toTransaction(entry: EntryRow): WalletTransaction {
  return {
    id: entry.id,
    type: entry.type,
    amount: formatAmount(entry.amount_cents),
    currency: 'BRL',
    description: entry.description,
    referenceType: entry.reference_type,
    referenceId: entry.reference_id,
    balanceAfter: formatAmount(entry.balance_after_cents),
    paymentMethod: entry.payment_method,
    createdAt: entry.created_at,
  };
}

@Resolver()
export class WalletResolver {
  @Operation({ scope: 'wallet:read' })
  @Query(() => WalletBalance, { description: 'The wallet’s balance now.' })
  async walletBalance(@Ctx() context: RequestContext): Promise<WalletBalance> {
    const balance = await readBalance(tenantOf(context), context.gateway.platform);
    return {
      balance: formatAmount(balance.balanceCents),
      currency: 'BRL',
      availableCredit: formatAmount(balance.availableCents),
      pendingAmount: formatAmount(balance.pendingCents),
      lastTransactionAt: balance.lastTransactionAt?.toISOString() ?? null,
    };
  }

  @Operation({ scope: 'wallet:read' })
  @Checks({
    startDate: (startDate: string | null, { endDate }) =>
      checkPeriod(startDate, (endDate as string | null | undefined) ?? null),
  })
  @Query(() => WalletTransactions, { description: 'The wallet’s ledger, newest first.' })
  async walletTransactions(
    @Ctx() context: RequestContext,
    @PageArg() page: number,
    @LimitArg() limit: number,
    @Arg('type', () => TransactionType, { nullable: true, description: 'Only credits or only debits.' })
    type?: EntryType | null,
    @Arg('startDate', () => Day, { nullable: true, description: 'First UTC day, YYYY-MM-DD.' })
    startDate?: string | null,
    @Arg('endDate', () => Day, { nullable: true, description: 'Last UTC day, YYYY-MM-DD, inclusive.' })
    endDate?: string | null,
  ): Promise<WalletTransactions> {
    const { sequelize, clock } = context.gateway.platform;
    const list = await listTransactions(
      tenantOf(context),
      { type: type ?? null, startDate: startDate ?? null, endDate: endDate ?? null },
      { page, limit },
      { sequelize, now: clock.now() },
    );
    return {
      transactions: list.entries.map(toTransaction),
      pagination: list.pagination,
      summary: {
        totalCredits: formatAmount(list.summary.creditCents),
        totalDebits: formatAmount(list.summary.debitCents),
        periodStart: list.summary.periodStart,
        periodEnd: list.summary.periodEnd,
      },
    };
  }
}
