import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { PaymentNotification } from '../provider.ts';
import type { PixApiClient } from './pixApiClient.ts';
import { notificationsOf } from './receivedPix.ts';
import { rechargeIdOf } from './transactionId.ts';

/** Payments of one callback that the bank is asked for at the same time. */
const askedAtOnce = 8;

/** Some banks try the address with a body of their own, or none. */
const callbackSchema = z.object({ pix: z.array(z.unknown()).optional() });

/** A payment by the central bank's "EndToEndIdentification", by which it is asked for. */
const namedSchema = z.object({ endToEndId: z.string().regex(/^[a-zA-Z0-9]{32}$/), txid: z.unknown() });

/** The name of a payment that a callback is about; none of one that pays no charge of ours. */
function nameOf(told: unknown): string[] {
  const named = namedSchema.safeParse(told);
  return named.success && rechargeIdOf(named.data.txid) !== null ? [named.data.endToEndId] : [];
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/**
 * Whether a callback shows the secret, as the first part of its path below the callbacks' own URL. The bank adds `/pix` to the
 * URL that is registered, and may add a query.
 */
export function showsSecret(target: string, secret: string): boolean {
  const [shown = ''] = target.replace(/^\//, '').split(/[/?]/);
  return timingSafeEqual(digestOf(shown), digestOf(secret));
}

/**
 * What a callback is about. It says which payments to ask the bank for, and nothing of what it tells of them is believed: its
 * body has no signature, and who holds the bank's side of the connection is for a proxy to know.
 * @throws Error for a body that is none; what the bank refuses, so that it tells it again.
 */
export async function readCallback(
  rawBody: Uint8Array,
  client: PixApiClient,
  timeoutMs: number,
): Promise<PaymentNotification[]> {
  if (rawBody.length === 0) return [];
  const { pix = [] } = callbackSchema.parse(JSON.parse(Buffer.from(rawBody).toString()));
  const names = [...new Set(pix.flatMap(nameOf))];
  const signal = AbortSignal.timeout(timeoutMs);
  const notifications: PaymentNotification[] = [];
  for (let first = 0; first < names.length; first += askedAtOnce) {
    const answers = await Promise.all(
      names
        .slice(first, first + askedAtOnce)
        .map((name) => client.ask({ method: 'GET', path: ['pix', name], signal })),
    );
    notifications.push(...answers.flatMap(notificationsOf));
  }
  return notifications;
}
