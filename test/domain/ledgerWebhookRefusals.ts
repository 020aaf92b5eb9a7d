import type { RefusalsOf } from './ledgerRefusals.ts';

const newWebhook = (changes: Record<string, string>) => {
  const values = {
    id: "'wh_new'",
    wallet_id: 'id',
    events: `'{wallet.credit}'`,
    normalized_url: "'https://new.example/'",
    failed_deliveries: '0',
    ...changes,
  };
  return `INSERT INTO webhooks (team_id, url, sealed_headers, sealed_secrets, activated_at, created_at, updated_at,
                                ${Object.keys(values)})
    SELECT team_id, '', '', '', now(), now(), now(), ${Object.values(values)} FROM wallets LIMIT 1`;
};

const newDelivery = (status = 'pending') => `
  INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at)
    VALUES ('wh_new', 'evt_new', 'wallet.credit', '${status}', now(), now())`;

const newAttempt = (excerptBytes = 0) => `
  INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, reason, detail, response_excerpt)
    VALUES (1, 1, now(), 1, '', '', repeat('x', ${excerptBytes}))`;

/** What the database itself refuses of webhooks and their deliveries. */
export const webhookRefusals: RefusalsOf<object> = {
  'no wallet': () => [newWebhook({ wallet_id: '999999' }), /webhooks_wallet_id_fkey/],
  'nothing subscribed to': () => [newWebhook({ events: `'{}'` }), /webhooks_events_check/],
  'nothing to sign with': () => [
    `${newWebhook({})}; UPDATE webhooks SET sealed_secrets = NULL WHERE id = 'wh_new'`,
    /webhooks_sealed_check/,
  ],
  'no headers': () => [
    `${newWebhook({})}; UPDATE webhooks SET sealed_headers = NULL WHERE id = 'wh_new'`,
    /webhooks_sealed_check/,
  ],
  'more failures than deliveries': () => [newWebhook({ failed_deliveries: '1' }), /"webhooks_check"/],
  'fewer failures than none': () => [newWebhook({ failed_deliveries: '-1' }), /"webhooks_check"/],
  'a URL that is registered': () => [
    `${newWebhook({})}; ${newWebhook({ id: "'wh_other'" })}`,
    /webhooks_by_url/,
  ],
  'another state of a delivery': () => [newDelivery('lost'), /webhook_deliveries_status_check/],
  'an event that is delivered twice': () => [
    `${newDelivery()}; ${newDelivery()}`,
    /webhook_deliveries_event_id_webhook_id_key/,
  ],
  'an attempt that is logged twice': () => [`${newAttempt()}; ${newAttempt()}`, /webhook_attempts_pkey/],
  'more of an answer than is kept': () => [newAttempt(4_097), /webhook_attempts_response_excerpt_check/],
  'an alert of no webhook': () => [
    `INSERT INTO webhook_alerts (webhook_id, created_at) VALUES ('wh_none', now())`,
    /webhook_alerts_webhook_id_fkey/,
  ],
};
