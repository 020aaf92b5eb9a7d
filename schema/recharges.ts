import {
  Arg,
  Ctx,
  createUnionType,
  Field,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { tenantOf } from '../src/domain/admission.ts';
import { formatAmount } from '../src/domain/money.ts';
import { defaultLimit, paginationOf } from '../src/domain/pagination.ts';
import { chargeLinks } from '../src/domain/recharges/chargeLinks.ts';
import { checkRechargeAmount, prepareRecharge } from '../src/domain/recharges/creation.ts';
import { cancelRecharge, expireRecharge, failRecharge } from '../src/domain/recharges/ending.ts';
import { confirmRecharge } from '../src/domain/recharges/payment.ts';
import { findRecharge, listRecharges } from '../src/domain/recharges/reading.ts';
import type { Recharge as RechargeModel } from '../src/domain/recharges/recharge.ts';
import { Checks } from './argumentChecks.ts';
import { Operation, prepared } from './operation.ts';
import { Pagination } from './pagination.ts';
import { Amount, DateTime, PageNumber, PageSize } from './scalars.ts';
import { Currency } from './wallet.ts';

export enum PaymentMethod {
  pix = 'pix',
  boleto = 'boleto',
}
registerEnumType(PaymentMethod, {
  name: 'PaymentMethod',
  description: 'How a recharge is paid.',
  valuesConfig: {
    pix: { description: 'PIX: confirmed within a minute.' },
    boleto: { description: 'Boleto: confirmed in one to three bank business days.' },
  },
});

export enum RechargeStatus {
  pending = 'pending',
  completed = 'completed',
  expired = 'expired',
  failed = 'failed',
  cancelled = 'cancelled',
}
registerEnumType(RechargeStatus, {
  name: 'RechargeStatus',
  description: 'State of a recharge.',
  valuesConfig: {
    pending: { description: 'Awaiting payment.' },
    completed: { description: 'Payment confirmed, credit added.' },
    expired: { description: 'Payment deadline passed.' },
    failed: { description: 'The payment provider reported a failure.' },
    cancelled: { description: 'Cancelled by the user.' },
  },
});

@ObjectType({ description: 'How to pay by PIX.', simpleResolvers: true })
export class PixPayment {
  declare __typename: 'PixPayment';

  @Field(() => String, { description: 'The copy-and-paste code (BR Code).' })
  declare pixCopyPaste: string;

  @Field(() => String, { description: 'URL of the code’s QR image (PNG).' })
  declare pixQrcodeUrl: string;

  @Field(() => DateTime, { description: 'Payment deadline.' })
  declare expiresAt: string;
}

@ObjectType({ description: 'How to pay by boleto.', simpleResolvers: true })
export class BoletoPayment {
  declare __typename: 'BoletoPayment';

  @Field(() => String, { description: 'The 44 digits of the bar code.' })
  declare boletoBarcode: string;

  @Field(() => String, { description: 'The same as the 47 digits to be typed (linha digitável).' })
  declare digitableLine: string;

  @Field(() => String, { description: 'URL of the boleto’s page.' })
  declare boletoUrl: string;

  @Field(() => String, { description: 'URL of the boleto as a PDF.' })
  declare boletoPdfUrl: string;

  @Field(() => DateTime, { description: 'Payment deadline.' })
  declare expiresAt: string;
}

export const RechargePayment = createUnionType({
  name: 'RechargePayment',
  description: 'Payment instructions, by payment method.',
  types: () => [PixPayment, BoletoPayment] as const,
});

@ObjectType({ description: 'Money on its way into the wallet.', simpleResolvers: true })
export class Recharge {
  @Field(() => String, { description: 'Unique id, prefix rch_.' })
  declare id: string;

  @Field(() => Amount, { description: 'Recharge amount.' })
  declare amount: string;

  @Field(() => Currency, { description: 'Always BRL.' })
  declare currency: string;

  @Field(() => RechargeStatus, { description: 'State of the recharge.' })
  declare status: string;

  @Field(() => PaymentMethod, { description: 'How it is to be paid.' })
  declare paymentMethod: string;

  @Field(() => RechargePayment, { description: 'Payment instructions.' })
  declare payment: PixPayment | BoletoPayment;

  @Field(() => DateTime, { nullable: true, description: 'Payment time; present when completed.' })
  declare paidAt: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Id of the credit transaction; present when completed.',
  })
  declare transactionId: string | null;

  @Field(() => DateTime, { description: 'Creation time.' })
  declare createdAt: string;
}

@ObjectType({ description: 'A page of recharges, newest first.', simpleResolvers: true })
export class RechargeList {
  @Field(() => [Recharge], { description: 'The recharges of the page.' })
  declare items: Recharge[];

  @Field(() => Pagination, { description: 'Number of the page, and the totals.' })
  declare pagination: Pagination;
}

/** A recharge in the shape of its GraphQL type. */
export function toRecharge(recharge: RechargeModel, publicUrl: string): Recharge {
  const { charge } = recharge;
  const expiresAt = recharge.expiresAt.toISOString();
  const links = chargeLinks(recharge.id, publicUrl);
  return {
    id: recharge.id,
    amount: formatAmount(recharge.amountCents),
    currency: 'BRL',
    status: recharge.status,
    paymentMethod: recharge.paymentMethod,
    payment:
      charge.method === 'pix'
        ? {
            __typename: 'PixPayment',
            pixCopyPaste: charge.pixCopyPaste,
            pixQrcodeUrl: links.pixQrcode,
            expiresAt,
          }
        : {
            __typename: 'BoletoPayment',
            boletoBarcode: charge.barcode,
            digitableLine: charge.digitableLine,
            boletoUrl: links.boleto,
            boletoPdfUrl: links.boletoPdf,
            expiresAt,
          },
    paidAt: recharge.paidAt?.toISOString() ?? null,
    transactionId: recharge.transactionId,
    createdAt: recharge.createdAt.toISOString(),
  };
}

@Resolver()
export class RechargeResolver {
  @Operation({ scope: 'wallet:read' })
  @Query(() => Recharge, { description: 'One recharge of the team.' })
  async recharge(
    @Ctx() context: RequestContext,
    @Arg('id', () => String, { description: 'Id, prefix rch_.' }) id: string,
  ): Promise<Recharge> {
    return toRecharge(await findRecharge(tenantOf(context), id), context.gateway.platform.publicUrl);
  }

  @Operation({ scope: 'wallet:read' })
  @Query(() => RechargeList, { description: 'The team’s recharges, newest first.' })
  async recharges(
    @Ctx() context: RequestContext,
    @Arg('page', () => PageNumber, { defaultValue: 1, description: 'Page, from 1.' }) page: number,
    @Arg('limit', () => PageSize, { defaultValue: defaultLimit, description: 'Items per page, 1 to 100.' })
    limit: number,
    @Arg('status', () => RechargeStatus, { nullable: true, description: 'Only recharges in this state.' })
    status?: RechargeStatus | null,
  ): Promise<RechargeList> {
    const { recharges, total } = await listRecharges(
      tenantOf(context),
      { status },
      { offset: (page - 1) * limit, limit },
    );
    return {
      items: recharges.map((recharge) => toRecharge(recharge, context.gateway.platform.publicUrl)),
      pagination: paginationOf(page, limit, total),
    };
  }

  @Operation({ scope: 'wallet:write', creation: 'plain' })
  @Checks({ amount: checkRechargeAmount })
  @Mutation(() => Recharge, {
    description: 'Requests a recharge: minimum 100.00, maximum 50000.00, 100000.00 a day.',
  })
  async createRecharge(
    @Ctx() context: RequestContext,
    @Arg('amount', () => Amount, { description: 'Decimal amount in BRL.' }) amount: string,
    @Arg('currency', () => Currency, { description: 'Always BRL.' }) _currency: string,
    @Arg('paymentMethod', () => PaymentMethod, { description: 'pix or boleto.' }) paymentMethod:
      | 'pix'
      | 'boleto',
  ): Promise<Recharge> {
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
