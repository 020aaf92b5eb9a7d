import { createHmac } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { testCertificates } from '../harness/certificates.ts';
import { eventually } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { Receiver } from '../harness/receiver.ts';
import { answer, startReceiver } from '../harness/receiver.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import type { MailServer } from './deliveryWorld.ts';
import { startMailServer } from './deliveryWorld.ts';

describeEngines('webhooks', (engine) => {
  const clock = new TestClock();
  let server: TestServer;
  let receiver: Receiver;
  let mailServer: MailServer;

  beforeAll(async () => {
    mailServer = await startMailServer();
    receiver = await startReceiver(answer(200));
    server = await startTestServer(engine, {
      clock,
      webhookAuthority: (await testCertificates()).authority,
      settings: {
        WEBHOOK_ALLOW_PRIVATE_HOSTS: 'true',
        SMTP_URL: mailServer.url,
        PUBLIC_URL: 'https://gateway.example.com/embarque',
      },
    });
  });

  beforeEach(() => receiver.behave(answer(200)));

  afterAll(async () => {
    await server.close();
    await receiver.close();
    await mailServer.close();
  });

  const register = (key: string, body: object) => server.rest('POST', '/api/v1/webhooks', { key, body });
  const pending = ['wallet.recharge.pending'];
  const recharge = (key: string) =>
    server.rest('POST', '/api/v1/wallet/recharge', {
      key,
      body: { amount: '100.00', currency: 'BRL', payment_method: 'pix' },
    });
  const received = (path: string) =>
    receiver.requests.filter((request) => request.path === path && request.method === 'POST');
  const only = async (key: string) => (await server.rest('GET', '/api/v1/webhooks', { key })).body.data[0];

  it('delivers an event with both signatures', async () => {
    const { live, teamId } = await server.createTeam();
    const { id, secret } = (await register(live, { url: receiver.url('/signed'), events: pending })).body
      .data;
    const charge = (await recharge(live)).body.data;
    const { headers, body } = await eventually(() => received('/signed')[0]);
    const timestamp = headers['x-service-timestamp'];
    const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
    expect(headers['x-service-signature']).toBe(expected);
    expect(headers['content-type']).toBe('application/json');
    const event = JSON.parse(body.toString());
    expect(event).toEqual({
      id: headers['x-service-event-id'],
      type: 'wallet.recharge.pending',
      api_version: '2026-11-01',
      created_at: clock.now().toISOString(),
      data: { object: expect.objectContaining({ id: charge.id, amount: '100.00', status: 'pending' }) },
      team_id: teamId,
      webhook_id: id,
    });
    // The library compares with the machine's time, so only the signature is checked against its own.
    const signed = new Verifier(secret).sign(event.id, new Date(Number(timestamp) * 1_000), body.toString());
    expect(headers['webhook-signature']).toBe(signed);
    await eventually(async () => (await only(live)).total_deliveries === 1);
    expect(await only(live)).toMatchObject({
      success_rate: 100,
      failed_deliveries: 0,
      last_triggered_at: clock.now().toISOString(),
    });
  });

  it('makes six attempts at the documented delays, then deactivates with one mail', async () => {
    const { live } = await server.createTeam({ alertEmail: 'alerts@agency.example.com' });
    const path = '/failing';
    const { id } = (await register(live, { url: receiver.url(path), events: pending })).body.data;
    receiver.behave((request, socket) => answer(request.path === path ? 500 : 200)(request, socket));
    await recharge(live);
    const made = (count: number) =>
      eventually(
        async () => (await only(live)).total_deliveries === count && received(path).length === count,
      );
    await made(1);
    for (const [index, minutes] of [5, 30, 120, 720, 1_440].entries()) {
      clock.advance(minutes * 60_000 - 1);
      const before = await server.query<{ due: boolean }>(
        'SELECT due_at <= $2 AS due FROM webhook_deliveries WHERE webhook_id = $1',
        [id, clock.now()],
      );
      expect(before).toEqual([{ due: false }]);
      expect((await only(live)).active).toBe(true);
      clock.advance(1);
      await made(index + 2);
    }
    expect(await only(live)).toMatchObject({ active: false, failed_deliveries: 6, success_rate: 0 });
    const bodies = received(path).map(({ body }) => body.toString());
    expect(new Set(bodies).size).toBe(1);
    await recharge(live);
    await eventually(() => mailServer.mails.some((mail) => mail.includes(id)));
    const states = await server.query<{ status: string }>(
      'SELECT status FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id',
      [id],
    );
    expect(states.map(({ status }) => status)).toEqual(['failed', 'skipped']);
    const [alert = '', ...others] = mailServer.mails.filter((mail) =>
      mail.includes(`Subject: Webhook ${id}`),
    );
    expect(others).toEqual([]);
    expect(alert).toMatch(/^From: Embarque <alerts@gateway\.example\.com>\r?$/m);
    expect(alert).toMatch(/^To: alerts@agency\.example\.com\r?$/m);
    receiver.behave(answer(200));
    await server.rest('PUT', `/api/v1/webhooks/${id}`, { key: live, body: { active: true } });
    await recharge(live);
    await made(7);
    expect(await only(live)).toMatchObject({ active: true, failed_deliveries: 6, success_rate: 14.3 });
  });

  it('lets a webhook that hangs delay no other', async () => {
    const { live } = await server.createTeam();
    await register(live, { url: receiver.url('/hanging'), events: pending });
    await register(live, { url: receiver.url('/healthy'), events: pending });
    receiver.behave((request, socket) => request.path !== '/hanging' && answer(200)(request, socket));
    for (let sent = 0; sent < 12; sent += 1) await recharge(live);
    await eventually(() => received('/healthy').length === 12, 4_000);
    expect(received('/hanging').length).toBeLessThanOrEqual(10);
  });
});
