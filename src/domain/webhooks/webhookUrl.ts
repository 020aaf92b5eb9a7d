import { badValueMessages, validationError } from '../../errors.ts';
import { parseWebhookUrl } from '../../infrastructure/webhooks/addressPolicy.ts';
import type { Platform } from '../platform.ts';
import { notReachable } from './refusals.ts';

/** Whether text has the form of a webhook URL; whether its host may be called is for `checkWebhookUrl` to say. */
export function isWebhookUrl(text: string): boolean {
  return parseWebhookUrl(text, { allowPrivateHosts: true }).ok;
}

/**
 * The normalised form of a URL that may be called.
 * @throws AppError 400 "Invalid URL" when it is malformed, not https, or its host is private.
 */
export function checkWebhookUrl(text: string, { settings }: Pick<Platform, 'settings'>): string {
  const parsed = parseWebhookUrl(text, { allowPrivateHosts: settings.WEBHOOK_ALLOW_PRIVATE_HOSTS });
  if (!parsed.ok) throw validationError({ field: 'url', type: parsed.reason }, badValueMessages.url);
  return parsed.url.href;
}

type Surroundings = Pick<Platform, 'settings' | 'webhookSender' | 'log'>;

/**
 * Asks the receiver for any HTTP answer to a HEAD request (DESIGN §4). With the check switched off nothing is sent, and
 * only a host that resolves to a private address is refused. All failures read the same, so that registering is no port
 * scan; the log says which it was.
 * @throws AppError 422 "URL not reachable".
 */
export async function checkReachable(url: string, surroundings: Surroundings): Promise<void> {
  const reason = await whyNotReachable(url, surroundings);
  if (!reason) return;
  surroundings.log.info({ host: new URL(url).host, reason }, 'webhook URL not reachable');
  throw notReachable();
}

async function whyNotReachable(url: string, { settings, webhookSender }: Surroundings) {
  if (settings.WEBHOOK_REACHABILITY_CHECK) {
    const { reachable, reason } = await webhookSender.reachable(url);
    return reachable ? null : reason;
  }
  if (settings.WEBHOOK_ALLOW_PRIVATE_HOSTS) return null;
  return (await webhookSender.isBlocked(url)) ? 'blocked_address' : null;
}
