import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SMTPServerOptions } from 'smtp-server';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll } from 'vitest';
import type { Clock } from '../../src/infrastructure/clock.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

interface MailServer {
  /** As it stands in SMTP_URL. */
  readonly url: string;
  close(): Promise<void>;
}

export interface MailStage<Mail> {
  mail: Mail;
  world: DeliveryWorld;
}

/** Tests of a worker that mails its alerts to such a server, and of webhooks that are deactivated by one failure. */
export function describeMailServer<Mail extends MailServer>(
  title: string,
  start: () => Promise<Mail>,
  tests: (stage: MailStage<Mail>) => void,
  clock?: Clock,
): void {
  describeOneEngine(title, (engine) => {
    const stage = {} as MailStage<Mail>;
    beforeAll(async () => {
      stage.mail = await start();
      const settings = { SMTP_URL: stage.mail.url, WEBHOOK_RETRY_DELAYS: '0s' };
      stage.world = await DeliveryWorld.open(engine, { settings, ...(clock ? { clock } : {}) });
    });
    afterAll(async () => {
      await stage.world?.close();
      await stage.mail?.close();
    });
    tests(stage);
  });
}

/** Has a new team's webhook deactivated, of which the team is to be alerted. @returns the webhook's id */
export async function deactivateWebhook(world: DeliveryWorld): Promise<string> {
  const { key, tenant } = await world.team();
  const id = await world.register(key, '/lost');
  world.fail('/lost');
  await world.happens(tenant);
  return id;
}

/** Alerts that nobody has been mailed. */
export const waitingAlerts = ({ server }: DeliveryWorld) =>
  server.query('SELECT id FROM webhook_alerts WHERE sent_at IS NULL');

async function startMailServer(options: SMTPServerOptions) {
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], ...options });
  server.on('error', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    connections: server.connections,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** A mail server that takes mails in and never says that it did. */
export async function startSilentMailServer() {
  let taken = 0;
  const server = await startMailServer({
    onData(stream) {
      stream.resume().on('end', () => {
        taken += 1;
      });
    },
  });
  return { ...server, taken: () => taken };
}

/** A mail server that keeps what it gets, and goes away before it says so. */
export async function startForgetfulMailServer() {
  const mails: string[] = [];
  const server = await startMailServer({
    async onData(stream, session) {
      mails.push(await text(stream));
      for (const connection of server.connections) if (connection.id === session.id) connection.close();
    },
  });
  return { ...server, mails };
}

/** A mail server that refuses clients, then senders, and then recipients or texts, with a code of its own. */
export async function startRefusingMailServer() {
  const refusal = {
    isOfClient: true,
    isOfSender: false,
    isOfText: false,
    code: 554,
    text: 'not here',
    times: 0,
  };
  const refuse = (done: (error: Error) => void) => {
    refusal.times += 1;
    done(Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
  };
  const server = await startMailServer({
    onConnect: (_session, done) => (refusal.isOfClient ? refuse(done) : done()),
    onMailFrom: (_address, _session, done) => (refusal.isOfSender ? refuse(done) : done()),
    onRcptTo: (_address, _session, done) => (refusal.isOfText ? done() : refuse(done)),
    onData: (stream, _session, done) => void stream.resume().on('end', () => refuse(done)),
  });
  return { ...server, refusal };
}

/** A mail server that takes one mail at a time, as far as it is told. */
export async function startSlowMailServer() {
  const asked: string[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const server = await startMailServer({
    onRcptTo: ({ address }, _session, done) => {
      asked.push(address);
      waiting.push(done);
    },
  });
  const busy = () => waiting.shift()?.(Object.assign(new Error('busy'), { responseCode: 450 }));
  const take = () => waiting.shift()?.();
  return { ...server, asked, busy, take };
}

/** A mail server as it looks through somebody in between who leaves out that it offers TLS. */
export async function startStrippedMailServer() {
  const told: string[] = [];
  const { url, ...server } = await startMailServer({
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      told.push(`${username}:${password}`);
      done(null, { user: username });
    },
    onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
  });
  const withPassword = url.replace('//', '//someone:word@');
  return { ...server, url: `${withPassword}?requireTLS=true`, withoutTls: withPassword, told };
}

/** A mail server that offers no login unless it is told to, and takes every mail. */
export async function startOpenMailServer() {
  let taken = 0;
  let isLoginOffered = false;
  const { url, ...server } = await startMailServer({
    allowInsecureAuth: true,
    onConnect(session, done) {
      session.disabledCommands = ['STARTTLS', ...(isLoginOffered ? [] : ['AUTH'])];
      done();
    },
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onData(stream, _session, done) {
      taken += 1;
      stream.resume().on('end', () => done());
    },
  });
  const withPassword = url.replace('//', '//someone:word@');
  /** To whoever connects from now on. */
  const offerLogin = (isOffered: boolean) => {
    isLoginOffered = isOffered;
  };
  return { ...server, url: withPassword, withoutLogin: url, offerLogin, taken: () => taken };
}

/** A mail server that refuses a login and quotes, with what came of it, what it was told. */
export async function startQuotingMailServer() {
  const login = { user: 'someone', pass: 'a word' };
  const quoted = [`\0${login.user}\0${login.pass}`, login.pass].map((text) =>
    Buffer.from(text).toString('base64'),
  );
  const { url, ...server } = await startMailServer({
    allowInsecureAuth: true,
    onAuth: ({ password = '' }, _session, done) =>
      done(Object.assign(new Error(`who is ${[...quoted, password].join(', ')}`), { responseCode: 535 })),
  });
  const withPassword = url.replace('//', `//${login.user}:${encodeURIComponent(login.pass)}@`);
  return { ...server, url: withPassword, secrets: [...quoted, login.pass] };
}
