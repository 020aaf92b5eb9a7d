import { DateTime } from 'luxon';
import { z } from 'zod';
import { bankZone } from '../../text/brazilianText.ts';
import type { PaymentNotification } from '../provider.ts';
import { centsOf } from './amount.ts';
import { rechargeIdOf } from './transactionId.ts';

/** What of a payment that was received is looked at; whatever is wrong in it is told of the one payment alone. */
const pixSchema = z.object({
  endToEndId: z.unknown(),
  txid: z.unknown(),
  valor: z.unknown(),
  horario: z.unknown(),
  devolucoes: z.array(z.unknown()).nullish().catch(null),
});

/** A return ("devolução") of all or part of it. */
const returnSchema = z.object({
  rtrId: z.unknown(),
  valor: z.unknown(),
  natureza: z.unknown(),
  status: z.unknown(),
  horario: z.object({ solicitacao: z.unknown(), liquidacao: z.unknown() }).partial().nullish().catch(null),
});

/**
 * Returns that whoever is paid asked for; one without its nature is such, too. All others were taken from us by the "Mecanismo
 * Especial de Devolução", and what a later version of the Pix API adds is taken for one: an operator looks at it.
 */
const ownReturns: readonly unknown[] = [undefined, null, 'ORIGINAL', 'RETIRADA'];

/** RFC 3339; a bank that leaves out the offset means its own clock. An invalid date for what is no time. */
const timeOf = (text: unknown): Date =>
  DateTime.fromISO(typeof text === 'string' ? text : '', { zone: bankZone }).toJSDate();

/** No amount that there can be: whoever takes the notification refuses it. Null would say that the bank tells none. */
const noAmount = -1n;

/**
 * What a received payment says of the recharge that it pays: that it was paid, and what of it was taken back. Nothing of one
 * that pays no charge of ours.
 */
export function notificationsOf(received: unknown): PaymentNotification[] {
  const pix = pixSchema.safeParse(received);
  if (!pix.success) return [];
  const { endToEndId, txid, valor, horario, devolucoes } = pix.data;
  const rechargeId = rechargeIdOf(txid);
  if (rechargeId === null) return [];
  const paid: PaymentNotification = {
    rechargeId,
    outcome: 'paid',
    paidAt: timeOf(horario),
    providerReference: endToEndId as string,
    amountCents: centsOf(valor) ?? noAmount,
  };
  return [paid, ...(devolucoes ?? []).flatMap((one) => returnOf(one, rechargeId))];
}

function returnOf(returned: unknown, rechargeId: string): PaymentNotification[] {
  const read = returnSchema.safeParse(returned);
  if (!read.success || read.data.status !== 'DEVOLVIDO' || ownReturns.includes(read.data.natureza)) return [];
  const { rtrId, valor, horario } = read.data;
  return [
    {
      rechargeId,
      outcome: 'returned',
      paidAt: timeOf(horario?.liquidacao ?? horario?.solicitacao),
      providerReference: rtrId as string,
      amountCents: centsOf(valor) ?? noAmount,
    },
  ];
}
