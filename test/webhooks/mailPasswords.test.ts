import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { DeliveryWorld } from './deliveryWorld.ts';

/** A mail server as it looks through somebody in between who leaves out that it offers TLS. */
async function startStrippedMailServer() {
  const told: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      told.push(`${username}:${password}`);
      done(null, { user: username });
    },
    onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
  });
  server.on('error', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://someone:word@127.0.0.1:${port}`,
    told,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describeEngines('A mail server that seems to offer no TLS', (engine) => {
  let mail: Awaited<ReturnType<typeof startStrippedMailServer>>;
  let world: DeliveryWorld;
  beforeAll(async () => {
    mail = await startStrippedMailServer();
    world = await DeliveryWorld.open(engine, {
      settings: { SMTP_URL: `${mail.url}?requireTLS=true`, WEBHOOK_RETRY_DELAYS: '0s' },
    });
  });
  afterAll(async () => {
    await world.close();
    await mail.close();
  });

  it('is told no password where SMTP_URL requires TLS', async () => {
    const { key, tenant } = await world.team();
    await world.register(key, '/lost');
    world.fail('/lost');
    await world.happens(tenant);
    const waiting = () => world.server.query('SELECT FROM webhook_alerts WHERE sent_at IS NULL');
    const isRefused = () => world.server.logLines.join('').includes('alert not mailed; tried again later');
    await eventually(() => isRefused() || mail.told.length > 0);
    expect(mail.told).toEqual([]);
    expect(await waiting()).toHaveLength(1);

    await world.server.restart({ SMTP_URL: mail.url });
    // As if the pause were over.
    await world.server.query('UPDATE webhook_alerts SET leased_until = NULL');
    await eventually(async () => (await waiting()).length === 0);
    expect(mail.told).toEqual(['someone:word']);
  });
});
