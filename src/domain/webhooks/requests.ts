import { LRUCache } from 'lru-cache';
import type { WebhookRequest } from '../../infrastructure/webhooks/sender.ts';
import { signatureHeaders } from '../../infrastructure/webhooks/signature.ts';
import type { Platform } from '../platform.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { SigningSecret } from './webhook.ts';
import { openHeaders, openSecrets, signingAt } from './webhook.ts';

/** How many webhooks' headers and secrets are kept open: unsealing them costs more than signing does. */
const openWebhooks = 1_000;

/** How old signatures may be when they are written, in milliseconds: receivers refuse what is minutes old. */
const freshMs = 10_000;

/**
 * Makes requests of deliveries: the fixed body, the webhook's own headers, and signatures of this moment, or of that at which
 * they are written, where the connection took long or the process stood still meanwhile.
 */
export class DeliveryRequests {
  readonly #platform: Platform;
  readonly #headers = new LRUCache<string, Record<string, string>>({ max: openWebhooks });
  readonly #secrets = new LRUCache<string, readonly SigningSecret[]>({ max: openWebhooks });

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** @throws Error when what is sealed cannot be opened, or there is nothing to send. */
  requestOf(delivery: ClaimedDelivery, now: Date): WebhookRequest {
    const { event_id: eventId, url, sealed_headers: sealedHeaders, sealed_secrets: sealedSecrets } = delivery;
    if (delivery.body === null) throw new Error('the event is missing');
    // Encoded once for the signatures and the wire.
    const body = Buffer.from(delivery.body);
    const headersAt = (instant: Date) => ({
      ...this.#headersOf(sealedHeaders),
      ...signatureHeaders({
        secrets: this.#secretsOf(sealedSecrets, instant),
        eventId,
        timestampSeconds: Math.floor(instant.getTime() / 1_000),
        body,
      }),
    });
    const renewedHeaders = () => {
      const present = this.#platform.clock.now();
      return Math.abs(present.getTime() - now.getTime()) > freshMs ? headersAt(present) : null;
    };
    return { url, headers: headersAt(now), renewedHeaders, body };
  }

  #headersOf(sealed: string): Record<string, string> {
    let headers = this.#headers.get(sealed);
    if (!headers) {
      const opened = openHeaders(sealed, this.#platform.vault);
      headers = Object.fromEntries(opened.map(({ name, value }) => [name, value]));
      this.#headers.set(sealed, headers);
    }
    return headers;
  }

  #secretsOf(sealed: string, now: Date): string[] {
    let secrets = this.#secrets.get(sealed);
    if (!secrets) {
      secrets = openSecrets(sealed, now, this.#platform.vault);
      this.#secrets.set(sealed, secrets);
    }
    return signingAt(now, secrets).map(({ secret }) => secret);
  }
}
