import type { PaymentNotification } from '../provider.ts';
import { centsOf } from './amount.ts';
import { instantOf } from './instant.ts';
import { rechargeIdOf } from './transactionId.ts';

/**
 * Returns ("devoluções") that whoever is paid asked for; one without its nature is such, too. All others were taken from us by
 * the "Mecanismo Especial de Devolução", and what a later version of the Pix API adds is taken for one: an operator looks at it.
 */
const ownReturns: readonly unknown[] = [undefined, null, 'ORIGINAL', 'RETIRADA'];

/** No amount that there can be: whoever takes the notification refuses it. Null would say that the bank tells none. */
const noAmount = -1n;

/** What stands in what should be an object; nothing in anything else. */
const membersOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value ?? {});

/**
 * What a received payment ("Pix") says of the recharge that it pays: that it was paid, and what of it was taken back. Nothing
 * of one that pays no charge of ours; what is wrong in one that does is left to whoever takes the notification.
 */
export function notificationsOf(received: unknown): PaymentNotification[] {
  const { endToEndId, txid, valor, horario, devolucoes } = membersOf(received);
  const rechargeId = rechargeIdOf(txid);
  if (rechargeId === null) return [];
  const paid: PaymentNotification = {
    rechargeId,
    outcome: 'paid',
    paidAt: instantOf(horario),
    providerReference: endToEndId as string,
    amountCents: centsOf(valor) ?? noAmount,
  };
  const returns = Array.isArray(devolucoes) ? devolucoes : [];
  return [paid, ...returns.flatMap((one) => returnOf(one, rechargeId))];
}

function returnOf(returned: unknown, rechargeId: string): PaymentNotification[] {
  const { rtrId, valor, natureza, status, horario } = membersOf(returned);
  if (status !== 'DEVOLVIDO' || ownReturns.includes(natureza)) return [];
  const { liquidacao, solicitacao } = membersOf(horario);
  return [
    {
      rechargeId,
      outcome: 'returned',
      paidAt: instantOf(liquidacao ?? solicitacao),
      providerReference: rtrId as string,
      amountCents: centsOf(valor) ?? noAmount,
    },
  ];
}
