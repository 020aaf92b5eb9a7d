import { Arg, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { formatAmount } from '../src/domain/money.ts';
import { paginationOf, rowsOf } from '../src/domain/pagination.ts';
import { checkDebitAmount, debitReturnedPayment } from '../src/domain/recharges/returnedPayments.ts';
import type { UnsettledPayment as DomainPayment } from '../src/domain/recharges/unsettledPayments.ts';
import {
  checkNote,
  creditPayment,
  dismissPayment,
  listSettledPayments,
  listUnsettledPayments,
} from '../src/domain/recharges/unsettledPayments.ts';
import { Checks } from './argumentChecks.ts';
import { enumType } from './enumType.ts';
import { Operation, type Prepared, prepared } from './operation.ts';
import { LimitArg, PageArg, Pagination } from './pagination.ts';
import { RechargeStatus } from './rechargeObjects.ts';
import { Amount, DateTime } from './scalars.ts';
import { Mode } from './tenant.ts';

const UnsettledReason = enumType<DomainPayment['reason']>({
  name: 'UnsettledReason',
  description: 'Why a payment waits for an operator.',
  values: {
    unknown_recharge: 'The provider has no such recharge with us.',
    wrong_amount: 'Another amount than the recharge’s was paid.',
    already_completed: 'Another payment had completed the recharge before.',
    paid_late: 'It was not paid before the recharge’s expires_at.',
    ended: 'It was paid after the recharge had been cancelled or had failed.',
    returned:
      'It was taken back at the bank, as by a MED return or a chargeback. What it had been credited to is as it was until it is debited.',
  },
});

const PaymentSettlement = enumType<NonNullable<DomainPayment['settlement']>>({
  name: 'PaymentSettlement',
  description: 'What an operator did about a payment.',
  values: {
    credited: 'Its recharge was completed after all.',
    debited: 'The wallet that it had been credited to was debited for all of it.',
    dismissed: 'It was settled otherwise, as its note says.',
  },
});

@ObjectType({ description: 'What was debited for a payment that was taken back.', simpleResolvers: true })
export class PaymentDebit {
  @Field(() => String, { description: 'Id of the wallet’s transaction, prefix txn_.' })
  declare transactionId: string;

  @Field(() => Amount, { description: 'What was debited.' })
  declare amount: string;

  @Field(() => DateTime, { description: 'When that was.' })
  declare debitedAt: string;

  @Field(() => String, { description: 'Id of the operator’s key that did it, prefix key_.' })
  declare debitedBy: string;
}

@ObjectType({
  description:
    'Money that a payment provider received and that could not be credited, or that was taken back from it.',
  simpleResolvers: true,
})
export class UnsettledPayment {
  @Field(() => String, { description: 'Unique id, prefix pay_.' })
  declare id: string;

  @Field(() => String, { description: 'Name of the payment provider in the settings.' })
  declare provider: string;

  @Field(() => String, {
    description: 'What the provider calls the payment, such as the end-to-end id of a PIX, or its return.',
  })
  declare providerReference: string;

  @Field(() => UnsettledReason, { description: 'Why it waits for an operator.' })
  declare reason: string;

  @Field(() => String, { nullable: true, description: 'The recharge that it was for, prefix rch_.' })
  declare rechargeId: string | null;

  @Field(() => RechargeStatus, {
    nullable: true,
    description: 'State of that recharge; null when there is none.',
  })
  declare rechargeStatus: string | null;

  @Field(() => String, { nullable: true, description: 'Whose recharge it is, prefix team_.' })
  declare teamId: string | null;

  @Field(() => Mode, { nullable: true, description: 'Mode of the team that it was requested in.' })
  declare mode: string | null;

  @Field(() => Amount, {
    nullable: true,
    description: 'What was paid, or taken back; null when the provider does not say.',
  })
  declare amount: string | null;

  @Field(() => Amount, { nullable: true, description: 'Amount of the recharge.' })
  declare rechargeAmount: string | null;

  @Field(() => Amount, {
    nullable: true,
    description:
      'What may still be debited for what was taken back; null when nothing was, or its recharge was not credited.',
  })
  declare outstandingAmount: string | null;

  @Field(() => [PaymentDebit], { description: 'What was debited for it, part by part.' })
  declare debits: PaymentDebit[];

  @Field(() => DateTime, { description: 'When it was paid, or taken back.' })
  declare paidAt: string;

  @Field(() => DateTime, { description: 'When the provider told of it first.' })
  declare receivedAt: string;

  @Field(() => PaymentSettlement, {
    nullable: true,
    description: 'What an operator did about it; null while it waits.',
  })
  declare settlement: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When that was.' })
  declare settledAt: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the operator’s key that did it, prefix key_.' })
  declare settledBy: string | null;

  @Field(() => String, { nullable: true, description: 'How it was settled, unless by a credit.' })
  declare note: string | null;
}

@ObjectType({ description: 'A page of payments that wait for an operator, or did.', simpleResolvers: true })
export class UnsettledPaymentList {
  @Field(() => [UnsettledPayment], { description: 'The payments of the page.' })
  declare items: UnsettledPayment[];

  @Field(() => Pagination, { description: 'Where the page stands.' })
  declare pagination: Pagination;
}

const amountOf = (cents: string | null) => (cents === null ? null : formatAmount(cents));

function toPayment({
  paidCents,
  rechargeCents,
  outstandingCents,
  ...payment
}: DomainPayment): UnsettledPayment {
  return {
    ...payment,
    amount: amountOf(paidCents),
    rechargeAmount: amountOf(rechargeCents),
    outstandingAmount: amountOf(outstandingCents),
    debits: payment.debits.map(({ amountCents, ...debit }) => ({
      ...debit,
      amount: formatAmount(amountCents),
    })),
    paidAt: payment.paidAt.toISOString(),
    receivedAt: payment.receivedAt.toISOString(),
    settledAt: payment.settledAt?.toISOString() ?? null,
  };
}

const idDescription = 'Id of the payment, prefix pay_.';

/**
 * Money that fits no rule is the operators’ to decide on: it is credited, debited, given back at the bank, or asked of the
 * agency.
 */
@Resolver()
export class UnsettledPaymentResolver {
  @Operation({ scope: 'operator' })
  @Query(() => UnsettledPaymentList, {
    description:
      'Payments of all teams that could not be credited, or were taken back, and wait for an operator, the oldest first.',
  })
  async unsettledPayments(
    @Ctx() context: RequestContext,
    @PageArg() page: number,
    @LimitArg() limit: number,
  ): Promise<UnsettledPaymentList> {
    const { payments, total } = await listUnsettledPayments(rowsOf(page, limit), context.gateway.platform);
    return { items: payments.map(toPayment), pagination: paginationOf(page, limit, total) };
  }

  @Operation({ scope: 'operator' })
  @Query(() => UnsettledPaymentList, {
    description: 'Payments of all teams that waited for an operator and were settled, the latest first.',
  })
  async settledPayments(
    @Ctx() context: RequestContext,
    @PageArg() page: number,
    @LimitArg() limit: number,
  ): Promise<UnsettledPaymentList> {
    const { payments, total } = await listSettledPayments(rowsOf(page, limit), context.gateway.platform);
    return { items: payments.map(toPayment), pagination: paginationOf(page, limit, total) };
  }

  @Operation({ scope: 'operator' })
  @Mutation(() => UnsettledPayment, {
    description:
      'Completes a recharge that was paid late, or after it had ended; events wallet.credit and wallet.recharge.completed.',
  })
  async creditPayment(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: idDescription }) id: string,
  ): Promise<UnsettledPayment> {
    return toPayment(await creditPayment(id, context.caller.keyId, context.gateway.platform));
  }

  @Operation({ scope: 'operator', creation: 'plain' })
  @Checks({ amount: checkDebitAmount })
  @Mutation(() => UnsettledPayment, {
    description:
      'Debits the wallet for a payment that was taken back after it had been credited; event wallet.debit. The last part of it settles the payment, which waits until then.',
  })
  async debitReturnedPayment(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: idDescription }) id: string,
    @Arg('amount', () => Amount, {
      nullable: true,
      description:
        'A part of what is outstanding, where the wallet’s available credit does not cover all of it; all of it unless said.',
    })
    amount?: string | null,
  ): Promise<Prepared<UnsettledPayment>> {
    const { caller, gateway } = context;
    return prepared(async () =>
      toPayment(await debitReturnedPayment(id, amount ?? null, caller.keyId, gateway.platform)),
    );
  }

  @Operation({ scope: 'operator' })
  @Checks({ note: checkNote })
  @Mutation(() => UnsettledPayment, {
    description:
      'Puts a payment aside that was settled otherwise, such as by giving it back. What was debited for it stays debited.',
  })
  async dismissPayment(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: idDescription }) id: string,
    @Arg('note', () => String, { description: 'How it was settled, 1 to 500 characters.' }) note: string,
  ): Promise<UnsettledPayment> {
    return toPayment(await dismissPayment(id, note, context.caller.keyId, context.gateway.platform));
  }
}
