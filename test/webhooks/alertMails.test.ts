import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SMTPServerOptions } from 'smtp-server';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantOf } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

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
async function startSilentMailServer() {
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
async function startForgetfulMailServer() {
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
async function startRefusingMailServer() {
  const refusal = { isOfClient: true, isOfSender: false, isOfText: false, code: 554, times: 0 };
  const refuse = (done: (error: Error) => void) => {
    refusal.times += 1;
    done(Object.assign(new Error('not here'), { responseCode: refusal.code }));
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
async function startSlowMailServer() {
  const asked: string[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const server = await startMailServer({
    onRcptTo: ({ address }, _session, done) => {
      asked.push(address);
      waiting.push(done);
    },
  });
  const busy = () => waiting.shift()?.(Object.assign(new Error('busy'), { responseCode: 450 }));
  return { ...server, asked, busy };
}

describeEngines('While the mail server is slow to refuse', (engine) => {
  let mail: Awaited<ReturnType<typeof startSlowMailServer>>;
  let world: DeliveryWorld;
  beforeAll(async () => {
    mail = await startSlowMailServer();
    world = await DeliveryWorld.open(engine, {
      settings: { SMTP_URL: mail.url, WEBHOOK_RETRY_DELAYS: '0s' },
    });
  });
  afterAll(async () => {
    await world.close();
    await mail.close();
  });

  it('an alert that nobody has tried to mail comes before one that was tried', async () => {
    world.fail('/lost');
    const deactivated = async (alertEmail: string) => {
      const { teamId, test } = await world.server.createTeam({ alertEmail });
      await world.register(test, '/lost');
      await world.happens(await tenantOf(world.server, teamId, 'test'));
    };
    const waiting = () => world.server.query('SELECT FROM webhook_alerts WHERE sent_at IS NULL');
    await deactivated('first@example.com');
    await eventually(() => mail.asked.length === 1);
    await deactivated('second@example.com');
    await eventually(async () => (await waiting()).length === 2);
    mail.busy();
    await eventually(() => mail.asked.length === 2);
    await deactivated('third@example.com');
    await eventually(async () => (await waiting()).length === 3);
    // As if the second had taken so long that it is the first one's turn again.
    await world.server.query(
      `UPDATE webhook_alerts SET leased_until = clock_timestamp() - interval '1 second'
        WHERE id = (SELECT min(id) FROM webhook_alerts)`,
    );
    mail.busy();
    await eventually(() => mail.asked.length === 3);
    mail.busy();
    await eventually(() => mail.asked.length === 4);
    mail.busy();
    expect(mail.asked.map((address) => address.split('@')[0])).toEqual(['first', 'second', 'third', 'first']);
  });
});

describeEngines('While the mail server hangs', (engine) => {
  let mail: Awaited<ReturnType<typeof startSilentMailServer>>;
  let world: DeliveryWorld;
  beforeAll(async () => {
    mail = await startSilentMailServer();
    world = await DeliveryWorld.open(engine, {
      settings: { SMTP_URL: mail.url, WEBHOOK_RETRY_DELAYS: '0s' },
    });
  });
  afterAll(async () => {
    await world.close();
    await mail.close();
  });

  it('no delivery waits for an alert, and no process that is to stop; the next one mails it', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/lost');
    world.fail('/lost');
    await world.happens(tenant);
    await eventually(() => mail.taken() === 1);
    // A server may take so long to look at a mail (RFC 5321, 4.5.3.2.6).
    const leased = await world.server.query<{ until: string }>(
      `SELECT leased_until::text AS until FROM webhook_alerts
        WHERE leased_until > clock_timestamp() + interval '10 minutes'`,
    );
    expect(leased).toHaveLength(1);
    // As if the mail had been under way for so long that it is another worker's turn.
    await world.server.query('UPDATE webhook_alerts SET leased_until = NULL');
    await world.swept();
    // One whose mail failed after so long would be left alone for an hour.
    await world.server.query(
      `UPDATE webhook_alerts SET leased_until = $1, created_at = clock_timestamp() - interval '10 hours'`,
      [leased[0]?.until],
    );
    await world.server.restart({ SMTP_URL: world.mail.url });
    expect(world.server.logLines.join('')).toContain('the process stops');
    await eventually(() => world.mail.mails.some((text) => text.includes(`Subject: Webhook ${id}`)));
    const waiting = () => world.server.query('SELECT id FROM webhook_alerts WHERE sent_at IS NULL');
    await eventually(async () => (await waiting()).length === 0);
  });
});

describeEngines('While the mail server delivers and does not say so', (engine) => {
  let mail: Awaited<ReturnType<typeof startForgetfulMailServer>>;
  let world: DeliveryWorld;
  beforeAll(async () => {
    mail = await startForgetfulMailServer();
    world = await DeliveryWorld.open(engine, {
      settings: { SMTP_URL: mail.url, WEBHOOK_RETRY_DELAYS: '0s' },
    });
  });
  afterAll(async () => {
    await world.close();
    await mail.close();
  });

  it('an alert is mailed less and less often, and each time as the same mail', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/lost');
    world.fail('/lost');
    await world.happens(tenant);
    const minutesUntilNext = async () => {
      const [row] = await world.server.query<{ minutes: number }>(
        `SELECT (extract(epoch FROM leased_until - clock_timestamp()) / 60)::float AS minutes FROM webhook_alerts`,
      );
      return row?.minutes ?? Number.NaN;
    };
    await eventually(async () => (await minutesUntilNext()) < 1);
    // As if it had been tried for ten hours.
    await world.server.query(
      `UPDATE webhook_alerts SET leased_until = NULL, created_at = clock_timestamp() - interval '10 hours'`,
    );
    await world.swept();
    await eventually(async () => mail.mails.length === 2 && (await minutesUntilNext()) > 50);
    const names = mail.mails.map((text) => /^Message-ID: <(.*)>/im.exec(text)?.[1]);
    expect(names[0]).toContain(id);
    expect(names[1]).toBe(names[0]);
  });
});

describeEngines('While the database does not take that an alert was mailed', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { WEBHOOK_RETRY_DELAYS: '0s' } });
  });
  afterAll(() => world.close());

  it('it is mailed once all the same', async () => {
    const { key, tenant } = await world.team();
    const id = await world.register(key, '/lost');
    await world.server.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'`,
    );
    await world.server.query(
      'CREATE TRIGGER refused BEFORE UPDATE OF sent_at ON webhook_alerts FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    world.fail('/lost');
    await world.happens(tenant);
    await eventually(() => world.server.logLines.join('').includes('alerts not looked for or marked'));
    await world.server.query('DROP TRIGGER refused ON webhook_alerts');
    // As if the pause were over.
    await world.server.query('UPDATE webhook_alerts SET leased_until = clock_timestamp()');
    await world.swept();
    const waiting = () => world.server.query('SELECT id FROM webhook_alerts WHERE sent_at IS NULL');
    await eventually(async () => (await waiting()).length === 0);
    const mails = world.mail.mails.filter((text) => text.includes(`Subject: Webhook ${id}`));
    expect(mails).toHaveLength(1);
    // The webhook is found with keys of its mode only.
    expect(mails[0]?.replace(/=\r?\n/g, '')).toContain(' in test mode was deactivated at ');
  });
});

describeEngines('While the mail server refuses', (engine) => {
  let mail: Awaited<ReturnType<typeof startRefusingMailServer>>;
  let world: DeliveryWorld;
  beforeAll(async () => {
    mail = await startRefusingMailServer();
    world = await DeliveryWorld.open(engine, {
      settings: { SMTP_URL: mail.url, WEBHOOK_RETRY_DELAYS: '0s' },
    });
  });
  afterAll(async () => {
    await world.close();
    await mail.close();
  });

  it.each(['address', 'text'])('an alert is tried again, until its %s is refused for good', async (what) => {
    Object.assign(mail.refusal, {
      isOfClient: true,
      isOfSender: false,
      isOfText: what === 'text',
      code: 554,
      times: 0,
    });
    world.server.logLines.length = 0;
    const { key, tenant } = await world.team();
    await world.register(key, '/lost');
    world.fail('/lost');
    await world.happens(tenant);
    const log = () => world.server.logLines.join('');
    const waiting = () => world.server.query('SELECT id FROM webhook_alerts WHERE sent_at IS NULL');
    const triedAgain = async (refusal: Partial<typeof mail.refusal>) => {
      Object.assign(mail.refusal, refusal);
      // As if the pause were over.
      await world.server.query('UPDATE webhook_alerts SET leased_until = clock_timestamp()');
      await world.swept();
    };
    const isToBeTriedAgain = async (times: number) => {
      await eventually(() => log().split('alert not mailed; tried again later').length === 1 + times);
      // The log tells it before it is free.
      await eventually(async () => (await leases()).every(({ ms }) => ms <= 30_000));
    };
    const leases = () =>
      world.server.query<{ ms: number }>(
        `SELECT (1000 * extract(epoch FROM leased_until - clock_timestamp()))::float AS ms
           FROM webhook_alerts WHERE sent_at IS NULL`,
      );
    await isToBeTriedAgain(1);
    await triedAgain({ isOfClient: false, isOfSender: true });
    await isToBeTriedAgain(2);
    await triedAgain({ isOfSender: false, code: 450 });
    await isToBeTriedAgain(3);
    // Before they are, nobody tries.
    await world.swept();
    expect(await waiting()).toHaveLength(1);
    await triedAgain({ code: 550 });
    await eventually(async () => (await waiting()).length === 0);
    expect(log()).toContain('the mail server refuses its address or text');
    expect(mail.refusal.times).toBe(4);
  });
});
