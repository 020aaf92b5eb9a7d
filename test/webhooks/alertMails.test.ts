import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantOf } from '../harness/activity.ts';
import { allocateStore } from '../harness/builtServer.ts';
import { eventually, restRequest } from '../harness/client.ts';
import { describeEngines, describeOneEngine } from '../harness/engines.ts';
import { ownPort } from '../harness/ownPort.ts';
import { useServerProcesses } from '../harness/serverProcess.ts';
import { DeliveryWorld } from './deliveryWorld.ts';
import {
  deactivateWebhook,
  describeMailServer,
  startForgetfulMailServer,
  startRefusingMailServer,
  startSilentMailServer,
  startSlowMailServer,
  waitingAlerts,
} from './mailServers.ts';

describeMailServer('While the mail server is slow to refuse', startSlowMailServer, (stage) => {
  it('alerts that nobody has tried to mail come before those that were tried, and the older first', async () => {
    const { mail, world } = stage;
    world.fail('/lost');
    const deactivated = async (alertEmail: string) => {
      const { teamId, test } = await world.server.createTeam({ alertEmail });
      await world.register(test, '/lost');
      await world.happens(await tenantOf(world.server, teamId, 'test'));
    };
    await deactivated('first@example.com');
    await eventually(() => mail.asked.length === 1);
    await deactivated('second@example.com');
    await eventually(async () => (await waitingAlerts(world)).length === 2);
    mail.busy();
    await eventually(() => mail.asked.length === 2);
    await deactivated('third@example.com');
    await eventually(async () => (await waitingAlerts(world)).length === 3);
    await deactivated('fourth@example.com');
    await eventually(async () => (await waitingAlerts(world)).length === 4);
    // Stored anew, the third stands behind the fourth.
    await world.server.query(
      `UPDATE webhook_alerts SET created_at = created_at
        WHERE id = (SELECT id FROM webhook_alerts ORDER BY id DESC OFFSET 1 LIMIT 1)`,
    );
    // Of a table that is known to be small no index is asked.
    await world.server.query('ANALYZE webhook_alerts');
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
    await eventually(() => mail.asked.length === 5);
    mail.busy();
    const asked = mail.asked.map((address) => address.split('@')[0]);
    expect(asked).toEqual(['first', 'second', 'third', 'fourth', 'first']);
  });
});

describeMailServer('While the mail server hangs', startSilentMailServer, (stage) => {
  it('no delivery waits for an alert, and no process that is to stop; the next one mails it', async () => {
    const { mail, world } = stage;
    const id = await deactivateWebhook(world);
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
    await eventually(async () => (await waitingAlerts(world)).length === 0);
  });
});

describeMailServer(
  'While the mail server delivers and does not say so',
  startForgetfulMailServer,
  (stage) => {
    it('an alert is mailed less and less often, and each time as the same mail', async () => {
      const { mail, world } = stage;
      const id = await deactivateWebhook(world);
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
  },
);

describeOneEngine('Where the gateway has an address and no name', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { WEBHOOK_RETRY_DELAYS: '0s' } });
  });
  afterAll(() => world.close());

  it.each([
    ['http://[2001:db8::7]:4000', '[ipv6:2001:db8::7]'],
    ['http://192.0.2.7:4000', '[192.0.2.7]'],
  ])('alerts of %s are sent as mail spells that', async (publicUrl, domain) => {
    await world.server.restart({ PUBLIC_URL: publicUrl });
    const id = await deactivateWebhook(world);
    const mail = await eventually(() =>
      world.mail.mails.find((text) => text.includes(`Subject: Webhook ${id}`)),
    );
    expect(mail.toLowerCase()).toContain(`from: embarque <alerts@${domain}>\r\n`);
    expect(mail.toLowerCase()).toMatch(/^message-id: <\S+@\[\S+\]>\r$/m);
  });
});

describeOneEngine('Where the gateway has no mail server', (engine) => {
  const startProcess = useServerProcesses();

  it('an alert is in its log, even in one of errors alone', async () => {
    const { environment, keys, release } = await allocateStore(engine);
    const server = startProcess({
      ...environment,
      LOG_LEVEL: 'error',
      WEBHOOK_RETRY_DELAYS: '0s',
      WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
      WEBHOOK_REACHABILITY_CHECK: 'false',
    });
    try {
      const url = await server.ready();
      const post = async (path: string, body: object) =>
        (await restRequest(url, 'POST', `/api/v1${path}`, { key: keys.test, body })).body.data;
      // Nobody listens there.
      const { id } = await post('/webhooks', {
        url: `https://127.0.0.1:${await ownPort()}/lost`,
        events: ['wallet.recharge.pending'],
      });
      await post('/wallet/recharge', { amount: '100.00', currency: 'BRL', payment_method: 'pix' });
      const [mailed] = await eventually(() => {
        const lines = server.log();
        return lines.length > 0 ? lines : undefined;
      });
      expect(mailed).toMatchObject({
        level: 40,
        msg: 'no SMTP_URL: mail logged instead of sent',
        mail: { to: 'ops@example.com', subject: `Webhook ${id} was deactivated` },
      });
    } finally {
      await server.stop();
      await release();
    }
  });
});

describeEngines('While the database does not take that an alert was mailed', (engine) => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open(engine, { settings: { WEBHOOK_RETRY_DELAYS: '0s' } });
  });
  afterAll(() => world.close());

  it('it is mailed once all the same', async () => {
    await world.server.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'`,
    );
    await world.server.query(
      'CREATE TRIGGER refused BEFORE UPDATE OF sent_at ON webhook_alerts FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    const id = await deactivateWebhook(world);
    await eventually(() => world.server.logLines.join('').includes('alerts not looked for or marked'));
    await world.server.query('DROP TRIGGER refused ON webhook_alerts');
    // As if the pause were over.
    await world.server.query('UPDATE webhook_alerts SET leased_until = clock_timestamp()');
    await world.swept();
    await eventually(async () => (await waitingAlerts(world)).length === 0);
    const mails = world.mail.mails.filter((text) => text.includes(`Subject: Webhook ${id}`));
    expect(mails).toHaveLength(1);
    // The webhook is found with keys of its mode only.
    expect(mails[0]?.replace(/=\r?\n/g, '')).toContain(' in test mode was deactivated at ');
  });
});

/**
 * What servers say of who sends as late as of recipients and texts, as Postfix does unless it is told otherwise: Postfix,
 * qmail, Exim, and those that ask for a login.
 */
const ofSender = [
  [530, '5.7.0 Authentication required'],
  [535, 'bad credentials'],
  [550, '5.1.8 Sender address rejected: Domain not found'],
  [554, '5.7.1 Relay access denied'],
  [550, '5.7.26 Unauthenticated email is not accepted'],
  [550, 'relay not permitted'],
  [550, 'Sender verify failed'],
  [553, "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
  [553, "sorry, that domain isn't in my list of allowed rcpthosts"],
  [553, 'sorry, your envelope sender domain must exist [#5.1.8]'],
  [550, 'Please turn on SMTP Authentication in your mail client'],
  [550, 'log in first, from 5.1.1.9 (5.1.1.9)'],
  [503, 'that needs a password'],
  [554, 'Message rejected: Email address is not verified.'],
  [554, 'Message rejected: Sending suspended for this account.'],
  [504, '5.5.2 <alerts@localhost>: Sender address rejected: need fully-qualified address'],
  [504, '5.5.2 <embarque>: Helo command rejected: need fully-qualified hostname'],
  [550, 'Access denied - Invalid HELO name (See RFC2821 4.1.1.1)'],
  [550, '5.4.5 Daily user sending quota exceeded.'],
  [550, 'rejected because 192.0.2.9 is in a black list at zen.example.org'],
  [554, '5.2.252 SendAsDenied; ti@sol.example not allowed to send as alerts@localhost'],
] as const;

describeMailServer('While the mail server refuses', startRefusingMailServer, (stage) => {
  it.each([
    ['address', '5.1.1 User unknown in relay recipient table'],
    ['text', 'sorry, no mailbox here that mail is relayed to. (#5.1.1)'],
    ['address', '5.2.2 the mailbox is full: the sender is told'],
    ['text', '5.6.0 not understood'],
  ])('an alert is tried again, until its %s is refused for good', async (what, forGood) => {
    const { mail, world } = stage;
    Object.assign(mail.refusal, {
      isOfClient: true,
      isOfSender: false,
      isOfText: what === 'text',
      code: 554,
      text: 'not here',
      times: 0,
    });
    world.server.logLines.length = 0;
    await deactivateWebhook(world);
    const log = () => world.server.logLines.join('');
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
    expect(await waitingAlerts(world)).toHaveLength(1);
    for (const [index, [code, text]] of ofSender.entries()) {
      await triedAgain({ code, text });
      await isToBeTriedAgain(4 + index);
    }
    await triedAgain({ code: 550, text: forGood });
    await eventually(async () => (await waitingAlerts(world)).length === 0);
    expect(log()).toContain('the mail server refuses its address or text');
    expect(mail.refusal.times).toBe(4 + ofSender.length);
  });
});
