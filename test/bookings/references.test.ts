import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import { requestFor } from './bookingSteps.ts';

const inDays = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString().slice(0, 10);

describeEngines('booking references', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.close());

  async function cheapest(): Promise<Json> {
    const slices = [{ origin: 'GRU', destination: 'GIG', departureDate: inDays(40) }];
    const body = { type: 'one_way', slices, passengers: [{ type: 'adult', count: 1 }] };
    const found = await server.rest('POST', '/api/v1/flights/search', { key: server.keys.test, body });
    return found.body.offers[0];
  }

  it('that a fail-over lets the database give out once more cost one attempt, not each of their block', async () => {
    const offer = await cheapest();
    const book = async () => {
      const body = requestFor(offer);
      const { status } = await server.rest('POST', '/api/v1/bookings', { key: server.keys.test, body });
      return status;
    };
    expect([await book(), await book(), await book()]).toEqual([201, 201, 201]);
    await server.query(`SELECT setval('booking_reference_blocks', 1, false)`);
    await server.restart();
    expect([await book(), await book(), await book()]).toEqual([500, 201, 201]);
  });
});
