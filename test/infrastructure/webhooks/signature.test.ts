import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  createWebhookSecret,
  serviceSignature,
  signatureHeaders,
} from '../../../src/infrastructure/webhooks/signature.ts';

const eventId = 'evt_01hq3v9k2mfx8r5t7w1y4z6a0b';
const body = JSON.stringify({
  id: eventId,
  type: 'wallet.credit',
  data: { object: { description: 'recarga é ✈' } },
});
const timestampSeconds = Math.floor(Date.now() / 1_000);

const sign = (secrets: string[], payload: Buffer | string = body) =>
  signatureHeaders({ secrets, eventId, timestampSeconds, body: payload });

describe('signatureHeaders', () => {
  it('gives a known delivery known signatures', () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(
      signatureHeaders({
        secrets: [secret],
        eventId: 'evt_1',
        timestampSeconds: 1_700_000_000,
        body: '{"a":1}',
      }),
    ).toEqual({
      'Content-Type': 'application/json',
      'X-Service-Signature': createHmac('sha256', secret).update('1700000000.{"a":1}').digest('hex'),
      'X-Service-Timestamp': '1700000000',
      'X-Service-Event-Id': 'evt_1',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${createHmac('sha256', Buffer.alloc(32, 7)).update('evt_1.1700000000.{"a":1}').digest('base64')}`,
    });
  });

  it('is accepted by an off-the-shelf Standard Webhooks library', () => {
    const secret = createWebhookSecret();
    expect(new Webhook(secret).verify(body, sign([secret]))).toEqual(JSON.parse(body));
    expect(() => new Webhook(createWebhookSecret()).verify(body, sign([secret]))).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, sign([secret]))).toThrow();
  });

  it('signs bytes and text alike', () => {
    const secret = createWebhookSecret();
    expect(sign([secret], Buffer.from(body))).toEqual(sign([secret]));
  });

  it('makes SPEC’s header one lowercase hexadecimal HMAC of the newest secret, at every rotation', () => {
    const secrets = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
    const headers = sign(secrets);
    expect(headers['X-Service-Signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(headers['X-Service-Signature']).toBe(serviceSignature(secrets[0]!, timestampSeconds, body));
    expect(headers['X-Service-Signature-Previous']).toBe(
      `${serviceSignature(secrets[1]!, timestampSeconds, body)}, ${serviceSignature(secrets[2]!, timestampSeconds, body)}`,
    );
  });

  it('lets holders of every secret in its overlap verify, after a second rotation too', () => {
    const secrets = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
    const headers = sign(secrets);
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(3);
  });

  it('sends no header about previous secrets when there are none', () => {
    expect(Object.keys(sign([createWebhookSecret()]))).not.toContain('X-Service-Signature-Previous');
  });

  it('refuses to sign with nothing, or with what is no secret', () => {
    expect(() => sign([])).toThrow(TypeError);
    expect(() => sign(['whsec_'])).toThrow(TypeError);
  });
});

describe('createWebhookSecret', () => {
  it('holds 256 bits behind its prefix, new each time', () => {
    const secrets = Array.from({ length: 100 }, createWebhookSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });
});
