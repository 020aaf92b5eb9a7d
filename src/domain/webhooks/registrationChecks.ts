import { badValueMessages, validationError } from '../../errors.ts';
import { isCustomHeaderAllowed } from '../../infrastructure/webhooks/requestHead.ts';
import type { EventType } from '../events/catalogue.ts';
import type { Platform } from '../platform.ts';
import { faultOfRemark } from '../storableText.ts';
import type { CustomHeader } from './webhook.ts';
import { checkWebhookUrl } from './webhookUrl.ts';

/** Events to subscribe to, each once. @throws AppError 400 "Invalid events" when there is none. */
export function checkEvents(events: readonly EventType[]): EventType[] {
  if (events.length === 0)
    throw validationError({ field: 'events', type: 'required' }, badValueMessages.events);
  return [...new Set(events)];
}

const maximumHeaders = 20;
const maximumHeaderLength = 1_024;

/** @throws AppError 400 naming every header that may not be added, and no more than there may be. */
export function checkHeaders(headers: readonly CustomHeader[]): CustomHeader[] {
  const faults = headers
    .slice(0, maximumHeaders)
    .flatMap(({ name, value }, index) =>
      isCustomHeaderAllowed(name, value) && name.length + value.length <= maximumHeaderLength
        ? []
        : [{ field: `headers.${index}`, type: 'invalid' }],
    );
  const names = new Set(headers.map(({ name }) => name.toLowerCase()));
  if (headers.length > maximumHeaders) faults.push({ field: 'headers', type: 'too_many' });
  if (names.size < headers.length) faults.push({ field: 'headers', type: 'repeated' });
  if (faults.length > 0) throw validationError(faults);
  return headers.map(({ name, value }) => ({ name, value }));
}

/** @throws AppError 400 for a description that is too long, or cannot be kept as it is. */
export function checkDescription(description: string | null): string | null {
  const fault = description === null ? null : faultOfRemark(description);
  if (fault !== null) throw validationError({ field: 'description', type: fault });
  return description;
}

/** @throws AppError 400 for null, with the field's documented message. */
function notNull<Value>(field: string, value: Value | null, message?: string): Value {
  if (value === null) throw validationError({ field, type: 'invalid' }, message);
  return value;
}

/** Of what a webhook must have, when it is changed: only what is left out stays, so null is a fault. @throws AppError 400. */
export const changeChecks = {
  url: (url: string | null, platform: Pick<Platform, 'settings'>) =>
    checkWebhookUrl(notNull('url', url, badValueMessages.url), platform),
  events: (events: readonly EventType[] | null) =>
    checkEvents(notNull('events', events, badValueMessages.events)),
  active: (active: boolean | null) => notNull('active', active),
  headers: (headers: readonly CustomHeader[] | null) => checkHeaders(notNull('headers', headers)),
};
