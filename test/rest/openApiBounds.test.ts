import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

describeOneEngine('The OpenAPI document does not allow', (engine) => {
  let server: TestServer;
  let document: Json;
  beforeAll(async () => {
    server = await startTestServer(engine);
    const { text } = await server.rest('GET', '/api/v1/openapi.json');
    document = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
  });
  afterAll(() => server?.close());

  const copies = (count: number) => (list: Json[]) => Array.from({ length: count }, () => list[0]);
  const counted = (count: number) => (groups: Json[]) => [{ ...groups[0], count }];

  it.each<[string, string, string, (value: Json) => Json]>([
    ['a search without slices', '/flights/search', 'slices', copies(0)],
    ['one of seven slices', '/flights/search', 'slices', copies(7)],
    ['one without passengers', '/flights/search', 'passengers', copies(0)],
    ['one with ten groups of them', '/flights/search', 'passengers', copies(10)],
    ['one with a group of nobody', '/flights/search', 'passengers', counted(0)],
    ['one with a group of ten', '/flights/search', 'passengers', counted(10)],
    ['a booking without passengers', '/bookings', 'passengers', copies(0)],
    ['one with ten passengers', '/bookings', 'passengers', copies(10)],
    ['one with a list of no payments', '/bookings', 'payments', copies(0)],
    ['one with two payments', '/bookings', 'payments', copies(2)],
    ['a confirmation with two payments', '/bookings/{id}/confirm', 'payments', copies(2)],
    ['a webhook without events', '/webhooks', 'events', copies(0)],
  ])('%s', (_what, path, member, change) => {
    const { schema, example } = document.paths[path].post.requestBody.content['application/json'];
    const allows = (body: Json) =>
      z.fromJSONSchema({ ...schema, $defs: document.components.schemas }).safeParse(body).success;
    expect(allows(example)).toBe(true);
    expect(allows({ ...example, [member]: change(example[member]) })).toBe(false);
  });

  it('a moment that is refused, and allows what is taken', async () => {
    const { live } = await server.createTeam();
    const { schema } = document.paths['/bookings'].get.parameters.find(
      ({ name }: Json) => name === 'created_after',
    );
    for (const [moment, allowed] of [
      ['2026-11-20', true],
      ['2026-11-20T12:00Z', true],
      ['2026-11-20T12:00:31.123456789-03:00', true],
      ['', false],
      ['b', false],
      ['2026-11-20T', false],
      ['2026-11-20 12:00:31Z', false],
    ] as const) {
      expect([moment, z.fromJSONSchema(schema).safeParse(moment).success]).toEqual([moment, allowed]);
      const query = new URLSearchParams({ created_after: moment });
      const { status } = await server.rest('GET', `/api/v1/bookings?${query}`, { key: live });
      expect([moment, status]).toEqual([moment, allowed ? 200 : 400]);
    }
  });

  it('an Idempotency-Key that is refused, and allows what is taken', async () => {
    const { live } = await server.createTeam();
    const { schema } = document.components.parameters.IdempotencyKey;
    const body = { amount: '100.00', currency: 'BRL', payment_method: 'pix' };
    for (const [key, allowed] of [
      ['two words', true],
      ['~', true],
      ['x'.repeat(255), true],
      ['x'.repeat(256), false],
      ['chave-é', false],
      ['a\tb', false],
    ] as const) {
      const headers = { 'idempotency-key': key };
      const { status } = await server.rest('POST', '/api/v1/wallet/recharge', { key: live, body, headers });
      const isAllowed = z.fromJSONSchema(schema).safeParse(key).success;
      expect([key, status, isAllowed]).toEqual([key, allowed ? 201 : 400, allowed]);
    }
  });
});
