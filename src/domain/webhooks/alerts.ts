import { askWithin } from '../../infrastructure/cutOff.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { restPrefix } from '../../infrastructure/http/restPrefix.ts';
import { Looks } from '../../infrastructure/looks.ts';
import { withoutSecrets } from '../../infrastructure/observability/log.ts';
import { Outage } from '../../infrastructure/observability/outage.ts';
import { RepeatedFaults } from '../../infrastructure/observability/repeatedFaults.ts';
import type { Platform } from '../platform.ts';
import type { Mode } from '../tenant.ts';

interface AlertRow {
  id: string;
  webhook_id: string;
  url: string;
  mode: Mode;
  team_name: string;
  alert_email: string | null;
  created_at: Date;
  /** Of this claim, as PostgreSQL writes it: a Date has no microseconds. */
  leased_until: string;
}

/**
 * Longest that a mail may take: so long may a server look at it before it says that it took it (RFC 5321, 4.5.3.2.6). Whoever
 * gives it up before has it delivered, and sends it again.
 */
const mailTimeoutMs = 10 * 60_000;

/** How long a worker has an alert for itself: a mail is given up before another worker sends it too. */
const leaseMs = mailTimeoutMs + 60_000;

/** The shortest time between trying to mail the same alert again, in milliseconds. */
const pauseMs = 30_000;

/** What keeps one alert from being mailed keeps all that wait: so often a minute the log tells it. */
const mostToldFaults = 10;

/**
 * One worker gets each alert; one that could not be mailed is free again when its lease lapses, behind those that nobody has
 * tried yet: two that a mail server lets hang would else take turns for ever.
 */
const claimAlert = statement<AlertRow>(
  'claim_webhook_alert',
  `WITH claimed AS (
     UPDATE webhook_alerts SET leased_until = clock_timestamp() + interval '${leaseMs} milliseconds'
      WHERE id = (SELECT id FROM webhook_alerts
                   WHERE sent_at IS NULL AND (leased_until IS NULL OR leased_until <= clock_timestamp())
                   ORDER BY leased_until NULLS FIRST, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, webhook_id, created_at, leased_until
   )
   SELECT c.id, c.webhook_id, c.created_at, c.leased_until::text, w.url, l.mode, t.name AS team_name, t.alert_email
     FROM claimed c JOIN webhooks w ON w.id = c.webhook_id JOIN wallets l ON l.id = w.wallet_id
          JOIN teams t ON t.id = l.team_id`,
);

/**
 * Frees an alert that was not mailed: at once where $3 says so, else when a tenth of the time since its webhook was deactivated
 * is over. A mail server may deliver what it never says that it took, and an agency would get the same mail each minute.
 */
const freeAlert = statement(
  'free_webhook_alert',
  `UPDATE webhook_alerts
      SET leased_until = CASE WHEN NOT $3::boolean THEN
            clock_timestamp() + greatest(interval '${pauseMs} milliseconds', (clock_timestamp() - created_at) / 10) END
    WHERE id = $1 AND leased_until = $2::timestamptz AND sent_at IS NULL`,
);

const markDone = statement(
  'end_webhook_alert',
  'UPDATE webhook_alerts SET sent_at = $3 WHERE id = $1 AND webhook_id = $2',
);

/**
 * What a mail server knows an alert by. Its number alone is not its own: a server that takes over from one that died may not
 * have heard of the last ones, and gives theirs to others.
 */
const mailIdOf = ({ id, webhook_id: webhookId }: AlertRow): string => `${webhookId}.${id}`;

/** What a mail under way still gets when the process is to stop. */
const lastMailMs = 3_000;

/**
 * Mails the alerts of webhooks that were deactivated to their teams (SPEC Delivery and retries, 3): one after the other,
 * beside the deliveries, which do not wait for a mail server.
 */
export class AlertMails {
  readonly #platform: Platform;
  readonly #looks: Looks;
  readonly #faults: RepeatedFaults;
  readonly #giveUp = new AbortController();
  /** Mail ids of alerts that need no mail any more, and are not marked so yet. */
  readonly #settled = new Set<string>();

  constructor(platform: Platform) {
    this.#platform = platform;
    const outage = new Outage(platform.log, {
      lost: 'alerts not looked for or marked; trying again with the sweep',
      back: 'alerts are looked for again',
      level: 'error',
    });
    this.#looks = new Looks(() => this.#mailNext(), outage);
    this.#faults = new RepeatedFaults(platform.log, mostToldFaults, 'warn');
  }

  /** Looks for alerts now, or after the mail that is under way. */
  wake(): void {
    this.#looks.wake();
  }

  /** Takes nothing more; a mail that is not sent soon is left to others. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(new Error('the process stops')), lastMailMs);
    await this.#looks.stop();
    clearTimeout(timer);
  }

  /** @returns whether there may be another. */
  async #mailNext(): Promise<boolean> {
    const { sequelize, clock } = this.#platform;
    const [alert] = await run(sequelize, claimAlert, []);
    if (!alert) return false;
    const mailId = mailIdOf(alert);
    if (this.#settled.has(mailId) || (await this.#mail(alert))) {
      this.#settled.add(mailId);
      await run(sequelize, markDone, [alert.id, alert.webhook_id, clock.now()]);
      this.#settled.delete(mailId);
    } else await run(sequelize, freeAlert, [alert.id, alert.leased_until, this.#giveUp.signal.aborted]);
    return true;
  }

  /** @returns whether that was the last mail of this alert, sent or refused for good; else it is tried again. */
  async #mail(alert: AlertRow): Promise<boolean> {
    const { mailer, log, clock } = this.#platform;
    const { webhook_id: webhookId, alert_email: to } = alert;
    // Of `AbortSignal.timeout`, Node.js 20 loses the time with the next garbage where nothing but `any` has the signal.
    const limits = { asked: 'the mail server', timeoutMs: mailTimeoutMs, clock };
    try {
      if (to === null) log.warn({ webhookId }, 'webhook deactivated; its team has no alert address');
      else {
        const mail = { id: mailIdOf(alert), to, ...alertText(alert) };
        await askWithin(limits, ({ signal }) =>
          mailer.send(mail, AbortSignal.any([this.#giveUp.signal, signal])),
        );
      }
      return true;
    } catch (error) {
      const isOver = isRefusedForGood(error);
      if (isOver)
        log.error({ err: error, webhookId }, 'alert not mailed: the mail server refuses its address or text');
      else this.#faults.tell('alert not mailed; tried again later', error, { webhookId });
      return isOver;
    }
  }
}

/** What nodemailer tells of a failure: its kind, and what the server answered to which of the commands. */
interface MailFailure {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** Answers that ask for another login (RFC 4954, 6), or for one at all before the command (503). */
const loginCodes: readonly number[] = [503, 530, 534, 535, 538];

/** The enhanced status of an answer (RFC 3463): it begins with one (RFC 2034), or has it in brackets, as qmail's `(#5.7.1)`. */
const enhancedStatus = /(?:^\d{3}[ -]|[([])#?(5\.\d{1,3}\.\d{1,3})(?!\.?\d)/m;

/** Statuses about who sends: all of a policy, and those of the sender's address. */
const senderStatus = /^5\.(?:7\.\d+|1\.[78])$/;

/** Statuses about the recipient: its address, its mailbox. Of all others the words tell whom they mean. */
const recipientStatus = /^5\.(?:1\.(?:[1-6]|10)|2\.[1-4])$/;

/**
 * What is said about who sends, by Exim ("relay not permitted", "Sender verify failed"), by those who ask for a login in words
 * ("Please turn on SMTP Authentication"), by Amazon SES ("Email address is not verified", "Sending suspended"), by Postfix ("Helo
 * command rejected") and Microsoft 365 ("5.2.252 SendAsDenied").
 */
const senderWords =
  /relay|rcpthosts|authenticat|\blog ?in\b|\bsender\b|not verified|\b(?:he|eh)lo\b|send ?as|\bsending\b|black ?list/i;

function isAboutSender(response: string): boolean {
  const status = enhancedStatus.exec(response)?.[1];
  if (status !== undefined && senderStatus.test(status)) return true;
  return (status === undefined || !recipientStatus.test(status)) && senderWords.test(response);
}

/**
 * Permanent refusals (RFC 5321, 5yz) of a recipient or a text, as nodemailer tells them. Those of a login, or of the sender, which
 * is the same in all mails, may end: they are the operator's to mend. Many servers say them only where a recipient is named.
 */
function isRefusedForGood(error: unknown): boolean {
  const { code, command, responseCode = 0, response = '' } = error as MailFailure;
  const isOfThisMail = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE';
  if (loginCodes.includes(responseCode) || isAboutSender(response)) return false;
  return isOfThisMail && responseCode >= 500;
}

/** The sandbox's webhooks are found with a test key only. */
function alertText({ webhook_id: webhookId, url, mode, team_name: team, created_at: at }: AlertRow) {
  const whose = mode === 'test' ? `${team} in test mode` : team;
  return {
    subject: `Webhook ${webhookId} was deactivated`,
    text: [
      `The webhook ${webhookId} of ${whose} was deactivated at ${at.toISOString()}:`,
      'every attempt to deliver an event to it failed, and nothing else got through in the meantime.',
      '',
      `URL: ${withoutSecrets(url)}`,
      '',
      'Events go on being kept. Once the receiver works, activate the webhook again',
      `(PUT ${restPrefix}/webhooks/${webhookId} with {"active": true}) and have what it missed sent again`,
      '(mutation replayWebhookDeliveries at /graphql).',
      '',
    ].join('\n'),
  };
}
