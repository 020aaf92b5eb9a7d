import { isIPv4 } from 'node:net';
import type { Transporter } from 'nodemailer';
import { laterPackage } from './laterPackage.ts';
import type { Log } from './observability/log.ts';

export interface Mail {
  /** Of this mail alone, and the same whenever it is sent again: what a Message-ID may begin with (RFC 5322, 3.6.4). */
  id: string;
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

export interface Mailer {
  /** Resolves once the mail is handed over; rejects when that fails, or the signal says to give up. */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Loaded with the first mail: alerts are rare. */
const nodemailer = laterPackage<typeof import('nodemailer')>('nodemailer');

/** What stands behind the @ of an address: a host's name, or its address as mail spells it (RFC 5321, 4.1.3). */
function mailDomain(hostname: string): string {
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1)}`;
  return isIPv4(hostname) ? `[${hostname}]` : hostname;
}

/** What a login tells, as a password, and as AUTH PLAIN and AUTH LOGIN send it (RFC 4616). Whoever refuses it may quote it. */
function toldAtLogin(transport: Transporter): string[] {
  const { options } = transport.transporter as unknown as {
    /** As nodemailer reads them from a URL. */
    options: { auth?: { user: string; pass: string } };
  };
  const { user, pass } = options.auth ?? { user: '', pass: '' };
  const sent = [`\0${user}\0${pass}`, user, pass].map((text) => Buffer.from(text).toString('base64'));
  return [...sent, pass].filter((text) => text !== '');
}

/**
 * Warns of each mail that goes out without a login: nodemailer leaves it out where a server offers none, as one does whose
 * STARTTLS failed. It tells of either only as it would write it into a log of its own.
 * @param isPooled whether one login serves several mails
 */
function warnsOfNoLogin(log: Log, isPooled: boolean) {
  let hasLoggedIn = false;
  return {
    info({ action, tnx, err }: { action?: string; tnx?: string; err?: unknown }): void {
      if (action === 'authenticated') hasLoggedIn = true;
      else if (tnx === 'send' && !err) {
        if (!hasLoggedIn) log.warn('the mail server offers no login: sending without that of SMTP_URL');
        hasLoggedIn &&= isPooled;
      }
    },
  };
}

/** Blanks texts in all that an error says. */
function blank(
  texts: readonly string[],
  error: Partial<Record<'message' | 'stack' | 'response', unknown>>,
): void {
  for (const part of ['message', 'stack', 'response'] as const) {
    const said = error[part];
    if (typeof said !== 'string') continue;
    const blanked = texts.reduce((rest, text) => rest.replaceAll(text, '[redacted]'), said);
    if (blanked !== said) error[part] = blanked;
  }
}

/** Mail over SMTP, or into the log, whatever its level, when there is no server. The sender's domain is that of PUBLIC_URL. */
export function createMailer(
  settings: { SMTP_URL?: string | undefined; PUBLIC_URL?: string | undefined },
  log: Log,
): Mailer {
  if (!settings.SMTP_URL) {
    // Whatever LOG_LEVEL leaves out: nobody would hear of a mail otherwise.
    const mails = log.child({}, { level: 'warn' });
    return {
      async send(mail) {
        mails.warn({ mail }, 'no SMTP_URL: mail logged instead of sent');
        // Handed over, a mail is never written again: its line may not be lost with the process.
        mails.flush();
      },
      close: () => undefined,
    };
  }
  const url = settings.SMTP_URL;
  const { username, searchParams } = new URL(url);
  const isPooled = searchParams.get('pool') === 'true';
  let opened: Transporter | undefined;
  const domain = mailDomain(new URL(settings.PUBLIC_URL ?? 'http://localhost').hostname);
  const from = { name: 'Embarque', address: `alerts@${domain}` };
  return {
    async send({ id, ...mail }, signal) {
      opened ??= nodemailer().createTransport({
        url,
        logger: username !== '' && warnsOfNoLogin(log, isPooled),
      });
      try {
        // By it receivers know a mail again that a server delivered without saying so.
        await opened.sendMail({ messageId: `<${id}@${domain}>`, from, ...mail, signal });
      } catch (error) {
        blank(toldAtLogin(opened), error as Error);
        throw error;
      }
    },
    close: () => opened?.close(),
  };
}
