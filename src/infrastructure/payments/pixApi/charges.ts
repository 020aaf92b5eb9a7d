import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { dynamicPixCode } from '../pixCode.ts';
import type { ChargeArtefacts, ChargeRequest, MadeCharge } from '../provider.ts';
import { amountOf } from './amount.ts';
import { instantOf } from './instant.ts';
import type { PixApiClient } from './pixApiClient.ts';
import { PixApiRefusal } from './pixApiRefusal.ts';
import type { PixApi, Receiver } from './pixApiSettings.ts';
import { readAnswer } from './readAnswer.ts';
import { transactionIdOf } from './transactionId.ts';

/** What of a charge ("cobrança imediata", CobGerada) is looked at. */
const chargeSchema = z.object({
  txid: z.string(),
  status: z.string(),
  valor: z.object({ original: z.string() }),
  calendario: z.object({ criacao: z.string(), expiracao: z.coerce.number() }),
  /** Older banks, and some others, leave it to whoever has the location. */
  pixCopiaECola: z.string().nullish(),
  location: z.string().nullish(),
});
type Charge = z.infer<typeof chargeSchema>;

const underWay = 'ATIVA';

const pathOf = (rechargeId: string) => ['cob', transactionIdOf(rechargeId)];

/** @throws Error for what is no charge, or that of another. */
function readCharge(answer: unknown, rechargeId: string): Charge {
  const charge = readAnswer(chargeSchema, answer, 'charge');
  if (charge.txid.toLowerCase() !== transactionIdOf(rechargeId))
    throw new Error(`the bank answered with the charge ${charge.txid.slice(0, 35)}`);
  return charge;
}

/**
 * How long the bank may let the charge be paid, in seconds. Its time runs from when the bank makes it, which may be as much
 * later than ours as we wait for the answer: a payment after ours would wait for an operator.
 */
function lifetimeSeconds({ createdAt, expiresAt }: ChargeRequest, timeoutMs: number): number {
  const validityMs = expiresAt.getTime() - createdAt.getTime();
  return Math.max(1, Math.floor(Math.max(validityMs - timeoutMs, validityMs / 2) / 1_000));
}

/**
 * Makes a charge for immediate payment (`PUT /cob/{txid}`), without a debtor: whoever has the code may pay it, and nobody's tax
 * id leaves us for it.
 * @throws Error when the bank refuses, or makes another charge than it was asked for.
 */
export async function makeCharge(
  request: ChargeRequest,
  api: PixApi,
  client: PixApiClient,
  signal: AbortSignal,
): Promise<ChargeArtefacts> {
  const { rechargeId, amountCents } = request;
  const original = amountOf(amountCents);
  const body = {
    calendario: { expiracao: lifetimeSeconds(request, api.timeoutMs) },
    valor: { original },
    chave: api.pixKey,
    solicitacaoPagador: `Recarga ${rechargeId}`,
  };
  const answer = await client.ask({ method: 'PUT', path: pathOf(rechargeId), body, signal });
  const charge = readCharge(answer, rechargeId);
  if (charge.status !== underWay || charge.valor.original !== original)
    throw new Error(`the bank’s charge is ${charge.status} of ${charge.valor.original}, not of ${original}`);
  return { method: 'pix', pixCopyPaste: charge.pixCopiaECola ?? codeOf(charge, api.receiver) };
}

/** The code of a bank that gives none. @throws Error when there is nothing to make it of. */
function codeOf({ location }: Charge, receiver: Receiver | null): string {
  if (!location) throw new Error('the bank’s charge has neither pixCopiaECola nor location');
  if (receiver === null)
    throw new Error(
      'the bank gives no pixCopiaECola: set PIX_RECEIVER_NAME and PIX_RECEIVER_CITY to make it',
    );
  return dynamicPixCode({ location, merchantName: receiver.name, merchantCity: receiver.city });
}

/**
 * Makes a charge unpayable (`PATCH /cob/{txid}`). One that is not there was never made, and one that the bank does not change
 * any more is unpayable already, unless it says otherwise.
 * @throws PixApiRefusal while it can be paid; Error when the bank cannot be asked.
 */
export async function removeCharge(
  { rechargeId }: MadeCharge,
  client: PixApiClient,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const path = pathOf(rechargeId);
  try {
    const body = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
    await client.ask({ method: 'PATCH', path, body, signal });
  } catch (error) {
    if (!(error instanceof PixApiRefusal)) throw error;
    if (error.status === 404) return;
    const charge = readCharge(await client.ask({ method: 'GET', path, signal }), rechargeId);
    if (charge.status === underWay && !isOver(charge, clock)) throw error;
  }
}

/** Its status does not say so: it stays "ATIVA". */
function isOver({ calendario: { criacao, expiracao } }: Charge, clock: Clock): boolean {
  // Of a beginning that is none, nothing is over.
  return instantOf(criacao).getTime() + expiracao * 1_000 < clock.now().getTime();
}
