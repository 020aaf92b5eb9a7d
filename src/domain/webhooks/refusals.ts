import { conflict, notFound, unprocessable } from '../../errors.ts';

/** What is refused of webhooks, each made in one place: the documentation shows the very same. */

export const webhookNotFound = () => notFound('Webhook');

export const alreadyRegistered = () => conflict('URL already registered', { field: 'url', type: 'repeated' });

/** Webhooks of a team and mode at most: what changes its wallet writes a delivery for each of them before it is done. */
export const maximumWebhooks = 1_000;

export const tooManyWebhooks = () =>
  unprocessable('Too many webhooks', { field: 'url', type: 'too_many', limit: maximumWebhooks });

export const notReachable = () => unprocessable('URL not reachable', { field: 'url', type: 'not_reachable' });
