import { randomUUID } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { typeName } from '../../rest/namedSchemas.ts';
import { eventCatalogue, eventTypes } from '../../src/domain/events/catalogue.ts';
import { serviceSignature } from '../../src/infrastructure/webhooks/signature.ts';
import { storedEvents } from '../harness/activity.ts';
import { eventually } from '../harness/client.ts';
import { minuteMs } from '../harness/testClock.ts';
import type { SendingStage } from './sendingStage.ts';

/** Events that agencies send to try a webhook, as part of what is sent on purpose. */
export function describeTestEvents(stage: SendingStage): void {
  const { clock, ask, read, statistics } = stage;
  describe('a test event', () => {
    it('is the example of its type, signed like any other, and marked', async () => {
      const { key, tenant } = await stage.world.team();
      const url = stage.world.receiver.url('/test-event');
      const { body: created } = await stage.world.server.rest('POST', '/api/v1/webhooks', {
        key,
        body: { url, events: ['wallet.debit'] },
      });
      const { id, secret } = created.data;
      const { components } = (await stage.world.server.rest('GET', '/api/v1/openapi.json')).body;
      for (const type of eventTypes) {
        const sent = await read('sendTest', key, { webhookId: id, type });
        expect(sent).toMatchObject({ eventType: type, isTest: true, status: 'pending', attemptsMade: 0 });
        const request = await eventually(() =>
          stage.world
            .received('/test-event')
            .find(({ headers }) => headers['x-service-event-id'] === sent.eventId),
        );
        const body = JSON.parse(request.body.toString());
        const { properties } = components.schemas[`${typeName(type)}Event`];
        expect(Object.keys(properties)).toEqual(Object.keys(body));
        expect(z.fromJSONSchema(properties._meta).parse(body._meta)).toEqual(body._meta);
        expect(body).toEqual({
          id: sent.eventId,
          type,
          api_version: '2026-11-01',
          created_at: clock.now().toISOString(),
          data: eventCatalogue[type].example,
          team_id: tenant.teamId,
          webhook_id: id,
          _meta: { test_event: true, message: expect.any(String) },
        });
        const timestamp = Number(request.headers['x-service-timestamp']);
        expect(request.headers['x-service-signature']).toBe(
          serviceSignature(secret, timestamp, request.body),
        );
        const signed = new Verifier(secret).sign(
          sent.eventId,
          new Date(timestamp * 1_000),
          request.body.toString(),
        );
        expect(request.headers['webhook-signature']).toBe(signed);
      }
      expect(await storedEvents(stage.world.server, tenant.teamId, 'test')).not.toContainEqual(
        expect.objectContaining({ type: 'booking.created' }),
      );
    });

    it('goes to that webhook only', async () => {
      const { key } = await stage.world.team();
      const id = await stage.world.register(key, '/only');
      await stage.world.register(key, '/not-this');
      await read('sendTest', key, { webhookId: id, type: 'wallet.debit' });
      await stage.world.until(id, ({ status }) => status === 'delivered');
      await stage.world.swept();
      expect(stage.world.received('/only')).toHaveLength(1);
      expect(stage.world.received('/not-this')).toHaveLength(0);
    });

    it('is tried once, counts in the statistics, and neither deactivates nor is replayed', async () => {
      const { key } = await stage.world.team();
      const id = await stage.world.register(key, '/test-fails');
      stage.world.fail('/test-fails');
      const since = clock.now().toISOString();
      for (let sent = 1; sent <= 7; sent += 1) {
        await read('sendTest', key, { webhookId: id, type: 'wallet.debit' });
        await stage.world.until(id, ({ status }) => status === 'failed');
      }
      clock.advance(1_440 * minuteMs);
      await stage.world.swept();
      expect(await statistics(key, id)).toEqual({ total: 7, failed: 7, active: true });
      expect(stage.world.received('/test-fails')).toHaveLength(7);
      expect(await read('replay', key, { webhookId: id, since })).toEqual({ replayed: 0 });
      expect(stage.world.mail.mails.filter((mail) => mail.includes(id))).toEqual([]);
      stage.world.mend('/test-fails');
    });

    it('is tried at the new URL of its webhook when that changes under it', async () => {
      const { key } = await stage.world.team();
      const id = await stage.world.register(key, '/test-before');
      stage.world.hold('/test-before');
      await read('sendTest', key, { webhookId: id, type: 'wallet.debit' });
      await eventually(() => stage.world.received('/test-before').length === 1);
      await stage.world.change(key, id, { url: stage.world.receiver.url('/test-after') });
      const [delivery] = await stage.world.until(id, ({ status }) => status !== 'pending');
      expect(delivery).toMatchObject({ status: 'delivered', reasons: ['cancelled', 'ok'] });
      expect(stage.world.received('/test-after')).toHaveLength(1);
    });

    it('is sent once for an Idempotency-Key', async () => {
      const { key } = await stage.world.team();
      const id = await stage.world.register(key, '/test-once');
      const variables = { webhookId: id, type: 'wallet.debit' };
      const headers = { 'idempotency-key': randomUUID() };
      const first = await ask('sendTest', key, variables, headers);
      await stage.world.until(id, ({ status }) => status === 'delivered');
      const again = await ask('sendTest', key, variables, headers);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      await stage.world.swept();
      expect(stage.world.received('/test-once')).toHaveLength(1);
    });
  });
}
