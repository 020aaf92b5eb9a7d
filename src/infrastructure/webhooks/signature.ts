import { createHmac, randomBytes } from 'node:crypto';

/**
 * How deliveries are signed. Two schemes stand side by side, over the same body and the same secret:
 *
 * - SPEC "Authentication" 5: `X-Service-Signature` is the lowercase hexadecimal HMAC-SHA256 of
 *   `timestamp.body`, keyed with the secret exactly as the client received it (the UTF-8 bytes of the whole
 *   text, `whsec_` included).
 * - Standard Webhooks 1.0: `webhook-signature` is `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`,
 *   keyed with the bytes that the base64 part behind `whsec_` decodes to.
 *
 * While a rotated secret is still in its overlap, every header of SPEC keeps its documented form:
 * `X-Service-Signature` is always made with the newest secret, `webhook-signature` holds one `v1,` signature
 * for each secret separated by spaces (as that standard says), and `X-Service-Signature-Previous` holds the
 * hexadecimal signature of each older secret, newest first, separated by `, `. A receiver that has not taken
 * over the new secret yet accepts a delivery when any of the values matches.
 */

const secretPrefix = 'whsec_';
const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** A new signing secret: `whsec_` and the base64 of 256 random bits. */
export function createWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

export interface DeliveryToSign {
  /** The newest secret first, then the older ones that are still inside their overlap. At least one. */
  secrets: readonly string[];
  /** Event id (`evt_…`), the same at every attempt: receivers recognise repetitions by it. */
  eventId: string;
  /** When this attempt is sent, in whole seconds since 1970 (Unix time). */
  timestampSeconds: number;
  /** The exact bytes sent. */
  body: Buffer | string;
}

/**
 * The headers of one delivery attempt, content type included. Throws when there is no secret or one of them is
 * not in the form that `createWebhookSecret` makes: that is a fault of ours, never of the receiver.
 */
export function signatureHeaders({
  secrets,
  eventId,
  timestampSeconds,
  body,
}: DeliveryToSign): Record<string, string> {
  const [newest, ...previous] = secrets;
  if (newest === undefined) throw new TypeError('a delivery needs at least one secret');
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'X-Service-Signature': serviceSignature(newest, timestampSeconds, body),
    'X-Service-Timestamp': String(timestampSeconds),
    'X-Service-Event-Id': eventId,
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets
      .map((secret) => standardSignature(secret, eventId, timestampSeconds, body))
      .join(' '),
  };
  if (previous.length > 0) {
    headers['X-Service-Signature-Previous'] = previous
      .map((secret) => serviceSignature(secret, timestampSeconds, body))
      .join(', ');
  }
  return headers;
}

/** SPEC's signature: 64 lowercase hexadecimal digits. */
export function serviceSignature(secret: string, timestampSeconds: number, body: Buffer | string): string {
  return createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body).digest('hex');
}

function standardSignature(
  secret: string,
  id: string,
  timestampSeconds: number,
  body: Buffer | string,
): string {
  if (!secretForm.test(secret)) throw new TypeError('a webhook secret is whsec_ and the base64 of 32 bytes');
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;
}
