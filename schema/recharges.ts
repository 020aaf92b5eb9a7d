import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { tenantOf } from '../src/domain/admission.ts';
import { formatAmount } from '../src/domain/money.ts';
import { paginationOf, rowsOf } from '../src/domain/pagination.ts';
import { checkRechargeAmount, prepareRecharge } from '../src/domain/recharges/creation.ts';
import { cancelRecharge, expireRecharge, failRecharge } from '../src/domain/recharges/ending.ts';
import { confirmRecharge } from '../src/domain/recharges/payment.ts';
import { findRecharge, listRecharges } from '../src/domain/recharges/reading.ts';
import type { RechargeStatus as DomainStatus } from '../src/domain/recharges/recharge.ts';
import {
  dailyRechargeCents,
  maximumRechargeCents,
  minimumRechargeCents,
} from '../src/domain/recharges/refusals.ts';
import {
  type PaymentMethod as PaymentMethodName,
  paymentMethods,
} from '../src/infrastructure/payments/provider.ts';
import { Checks } from './argumentChecks.ts';
import { Operation, type Prepared, prepared } from './operation.ts';
import { LimitArg, PageArg } from './pagination.ts';
import { PaymentMethod, Recharge, RechargeList, RechargeStatus, toRecharge } from './rechargeObjects.ts';
import { Amount } from './scalars.ts';
import { Currency } from './wallet.ts';

@Resolver()
export class RechargeResolver {
  @Operation({ scope: 'wallet:read' })
  @Query(() => Recharge, { description: 'One recharge of the team.' })
  async recharge(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix rch_.' }) id: string,
  ): Promise<Recharge> {
    const { platform } = context.gateway;
    return toRecharge(await findRecharge(tenantOf(context), id, platform), platform.publicUrl);
  }

  @Operation({ scope: 'wallet:read' })
  @Query(() => RechargeList, { description: 'The team’s recharges, newest first.' })
  async recharges(
    @Ctx() context: RequestContext,
    @PageArg() page: number,
    @LimitArg() limit: number,
    @Arg('status', () => RechargeStatus, { nullable: true, description: 'Only recharges in this state.' })
    status?: DomainStatus | null,
  ): Promise<RechargeList> {
    const { platform } = context.gateway;
    const { recharges, total } = await listRecharges(
      tenantOf(context),
      status ?? null,
      rowsOf(page, limit),
      platform,
    );
    return {
      items: recharges.map((recharge) => toRecharge(recharge, platform.publicUrl)),
      pagination: paginationOf(page, limit, total),
    };
  }

  @Operation({ scope: 'wallet:write', creation: 'plain' })
  @Checks({ amount: checkRechargeAmount })
  @Mutation(() => Recharge, {
    description: `Requests a recharge: minimum ${formatAmount(minimumRechargeCents)}, maximum ${formatAmount(maximumRechargeCents)}, ${formatAmount(dailyRechargeCents)} a day.`,
  })
  async createRecharge(
    @Ctx() context: RequestContext,
    @Arg('amount', () => Amount, { description: 'Decimal amount in BRL.' }) amount: string,
    @Arg('currency', () => Currency, { description: 'Always BRL.' }) _currency: string,
    @Arg('paymentMethod', () => PaymentMethod, { description: `${paymentMethods.join(' or ')}.` })
    paymentMethod: PaymentMethodName,
  ): Promise<Prepared<Recharge>> {
    const { platform } = context.gateway;
    const { recharge, post } = await prepareRecharge(tenantOf(context), { amount, paymentMethod }, platform);
    return prepared({ answer: toRecharge(recharge, platform.publicUrl), post });
  }

  @Operation({ scope: 'wallet:write' })
  @Mutation(() => Recharge, { description: 'Withdraws a recharge that is still pending.' })
  async cancelRecharge(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix rch_.' }) id: string,
  ): Promise<Recharge> {
    const { platform } = context.gateway;
    return toRecharge(await cancelRecharge(tenantOf(context), id, platform), platform.publicUrl);
  }

  @Operation({ scope: 'wallet:write', testOnly: true })
  @Mutation(() => Recharge, { description: 'Test mode: pays a pending recharge now.' })
  async payTestRecharge(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix rch_.' }) id: string,
  ): Promise<Recharge> {
    const { platform } = context.gateway;
    const recharge = await confirmRecharge(tenantOf(context), id, platform.clock.now(), platform);
    return toRecharge(recharge, platform.publicUrl);
  }

  @Operation({ scope: 'wallet:write', testOnly: true })
  @Mutation(() => Recharge, { description: 'Test mode: lets a pending recharge expire now.' })
  async expireTestRecharge(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix rch_.' }) id: string,
  ): Promise<Recharge> {
    const { platform } = context.gateway;
    return toRecharge(await expireRecharge(tenantOf(context), id, platform), platform.publicUrl);
  }

  @Operation({ scope: 'wallet:write', testOnly: true })
  @Mutation(() => Recharge, { description: 'Test mode: makes a pending recharge fail.' })
  async failTestRecharge(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix rch_.' }) id: string,
  ): Promise<Recharge> {
    const { platform } = context.gateway;
    return toRecharge(await failRecharge(tenantOf(context), id, platform), platform.publicUrl);
  }
}
