import { run, statement } from '../../infrastructure/database/statement.ts';
import type { Platform } from '../platform.ts';

interface AlertRow {
  id: string;
  webhook_id: string;
  url: string;
  team_name: string;
  alert_email: string | null;
  created_at: Date;
}

/** One worker gets each alert; one that could not be mailed is free again when its lease lapses. */
const claimAlerts = statement<AlertRow>(
  'claim_webhook_alerts',
  `WITH claimed AS (
     UPDATE webhook_alerts SET leased_until = clock_timestamp() + interval '30 seconds'
      WHERE id IN (SELECT id FROM webhook_alerts
                    WHERE sent_at IS NULL AND (leased_until IS NULL OR leased_until <= clock_timestamp())
                    ORDER BY id LIMIT 20 FOR UPDATE SKIP LOCKED)
     RETURNING id, webhook_id, created_at
   )
   SELECT c.id, c.webhook_id, c.created_at, w.url, t.name AS team_name, t.alert_email
     FROM claimed c JOIN webhooks w ON w.id = c.webhook_id JOIN teams t ON t.id = w.team_id`,
);

const markSent = statement('mark_webhook_alert_sent', 'UPDATE webhook_alerts SET sent_at = $2 WHERE id = $1');

/** Mails the alerts of webhooks that were deactivated to their teams (SPEC Delivery and retries, 3). */
export async function sendAlerts(platform: Platform): Promise<void> {
  const { sequelize, mailer, clock, log } = platform;
  for (const alert of await run(sequelize, claimAlerts, [])) {
    const { webhook_id: webhookId, alert_email: to } = alert;
    try {
      if (to === null) log.warn({ webhookId }, 'webhook deactivated; its team has no alert address');
      else await mailer.send({ to, ...alertText(alert) });
      await run(sequelize, markSent, [alert.id, clock.now()]);
    } catch (error) {
      log.warn({ err: error, webhookId }, 'alert not mailed; trying again in 30 s');
    }
  }
}

function alertText({ webhook_id: webhookId, url, team_name: team, created_at: at }: AlertRow) {
  return {
    subject: `Webhook ${webhookId} was deactivated`,
    text: [
      `The webhook ${webhookId} of ${team} was deactivated at ${at.toISOString()}:`,
      'every attempt to deliver an event to it failed, and nothing else got through in the meantime.',
      '',
      `URL: ${url}`,
      '',
      'Events go on being kept. Once the receiver works, activate the webhook again',
      `(PUT /api/v1/webhooks/${webhookId} with {"active": true}) and have what it missed sent again`,
      '(mutation replayWebhookDeliveries at /graphql).',
      '',
    ].join('\n'),
  };
}
