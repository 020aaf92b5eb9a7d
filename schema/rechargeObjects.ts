import { createUnionType, Field, ObjectType } from 'type-graphql';
import { formatAmount } from '../src/domain/money.ts';
import { chargeLinks } from '../src/domain/recharges/chargeLinks.ts';
import type { Recharge as RechargeModel } from '../src/domain/recharges/recharge.ts';
import { badValueMessages } from '../src/errors.ts';
import { enumType } from './enumType.ts';
import { Pagination } from './pagination.ts';
import { Amount, DateTime } from './scalars.ts';
import { IsDigits, IsUrl } from './textForms.ts';
import { Currency } from './wallet.ts';

export const PaymentMethod = enumType<RechargeModel['paymentMethod']>({
  name: 'PaymentMethod',
  description: 'How a recharge is paid.',
  values: {
    pix: 'PIX: confirmed within a minute.',
    boleto: 'Boleto: confirmed in one to three bank business days.',
  },
  badValue: badValueMessages.paymentMethod,
});

export const RechargeStatus = enumType<RechargeModel['status']>({
  name: 'RechargeStatus',
  description: 'State of a recharge.',
  values: {
    pending: 'Awaiting payment.',
    completed: 'Payment confirmed, credit added.',
    expired: 'Payment deadline passed.',
    failed: 'The payment provider reported a failure.',
    cancelled: 'Cancelled by the user.',
  },
});

@ObjectType({ description: 'How to pay by PIX.', simpleResolvers: true })
export class PixPayment {
  declare __typename: 'PixPayment';

  @Field(() => String, { description: 'The copy-and-paste code (BR Code).' })
  declare pixCopyPaste: string;

  @IsUrl()
  @Field(() => String, {
    description: 'URL of the code’s QR image (PNG); once the recharge has ended, of an image that says so.',
  })
  declare pixQrcodeUrl: string;

  @Field(() => DateTime, { description: 'Payment deadline.' })
  declare expiresAt: string;
}

@ObjectType({ description: 'How to pay by boleto.', simpleResolvers: true })
export class BoletoPayment {
  declare __typename: 'BoletoPayment';

  @IsDigits({ count: 44 })
  @Field(() => String, { description: 'The 44 digits of the bar code.' })
  declare boletoBarcode: string;

  @IsDigits({ count: 47 })
  @Field(() => String, { description: 'The same as the 47 digits to be typed (linha digitável).' })
  declare digitableLine: string;

  @IsUrl()
  @Field(() => String, { description: 'URL of the boleto’s page.' })
  declare boletoUrl: string;

  @IsUrl()
  @Field(() => String, { description: 'URL of the boleto as a PDF.' })
  declare boletoPdfUrl: string;

  @Field(() => DateTime, { description: 'Payment deadline.' })
  declare expiresAt: string;
}

const RechargePayment = createUnionType({
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
