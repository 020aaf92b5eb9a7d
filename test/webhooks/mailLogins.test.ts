import { expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import {
  deactivateWebhook,
  describeMailServer,
  startOpenMailServer,
  startQuotingMailServer,
  startStrippedMailServer,
  waitingAlerts,
} from './mailServers.ts';

describeMailServer('While the mail server offers no login', startOpenMailServer, (stage) => {
  const warnings = () => stage.world.server.logLines.filter((line) => line.includes('offers no login'));

  it('alerts are sent without that of SMTP_URL, and the log warns where there is one', async () => {
    const { mail, world } = stage;
    await world.server.restart({ SMTP_URL: mail.url });
    world.server.logLines.length = 0;
    mail.offerLogin(false);
    const before = mail.taken();
    await deactivateWebhook(world);
    await eventually(() => mail.taken() === before + 1);
    await eventually(() => warnings().length > 0);
    expect(warnings().map((line) => JSON.parse(line).level)).toEqual([40]);

    await eventually(async () => (await waitingAlerts(world)).length === 0);
    world.server.logLines.length = 0;
    await world.server.restart({ SMTP_URL: mail.withoutLogin });
    await deactivateWebhook(world);
    await eventually(() => mail.taken() === before + 2);
    await eventually(async () => (await waitingAlerts(world)).length === 0);
    expect(warnings()).toEqual([]);
  });

  it('any more, the log warns though others were sent with it before', async () => {
    const { mail, world } = stage;
    await world.server.restart({ SMTP_URL: mail.url });
    world.server.logLines.length = 0;
    for (const isOffered of [true, false]) {
      mail.offerLogin(isOffered);
      const before = mail.taken();
      await deactivateWebhook(world);
      await eventually(() => mail.taken() === before + 1);
      await eventually(async () => (await waitingAlerts(world)).length === 0);
      expect(warnings()).toHaveLength(isOffered ? 0 : 1);
    }
  });
});

describeMailServer('While the mail server seems to offer no TLS', startStrippedMailServer, (stage) => {
  it('it is told no password where SMTP_URL requires that', async () => {
    const { mail, world } = stage;
    await deactivateWebhook(world);
    const isRefused = () => world.server.logLines.join('').includes('alert not mailed; tried again later');
    await eventually(() => isRefused() || mail.told.length > 0);
    expect(mail.told).toEqual([]);
    expect(await waitingAlerts(world)).toHaveLength(1);

    await world.server.restart({ SMTP_URL: mail.withoutTls });
    // As if the pause were over.
    await world.server.query('UPDATE webhook_alerts SET leased_until = NULL');
    await eventually(async () => (await waitingAlerts(world)).length === 0);
    expect(mail.told).toEqual(['someone:word']);
    expect(world.server.logLines.join('')).not.toContain('offers no login');
  });
});

describeMailServer(
  'While the mail server quotes the login that it refuses',
  startQuotingMailServer,
  (stage) => {
    it('nothing of the password is in the log', async () => {
      const { mail, world } = stage;
      await deactivateWebhook(world);
      const told = () =>
        world.server.logLines.find((line) => line.includes('alert not mailed; tried again later'));
      expect(await eventually(told)).toContain('who is [redacted], [redacted], [redacted]');
      for (const secret of mail.secrets)
        expect(world.server.logLines.filter((line) => line.includes(secret))).toEqual([]);
    });
  },
);
