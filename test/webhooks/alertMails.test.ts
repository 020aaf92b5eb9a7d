import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** A mail server that takes mails in and never says that it did. */
async function startSilentMailServer() {
  let taken = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream) {
      stream.resume().on('end', () => {
        taken += 1;
      });
    },
  });
  server.on('error', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken: () => taken,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

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
    // As if the mail had been under way for so long that it is another worker's turn.
    await world.server.query('UPDATE webhook_alerts SET leased_until = NULL');
    await world.swept();
    await world.server.restart({ SMTP_URL: world.mail.url });
    expect(world.server.logLines.join('')).toContain('the process stops');
    await eventually(() => world.mail.mails.some((text) => text.includes(`Subject: Webhook ${id}`)));
    const waiting = () => world.server.query('SELECT id FROM webhook_alerts WHERE sent_at IS NULL');
    await eventually(async () => (await waiting()).length === 0);
  });
});
