import { expect, it } from 'vitest';
import { restRequest } from '../harness/client.ts';
import { describeEngines } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';
import { inDays, requestFor } from './bookingSteps.ts';

describeEngines('What is kept of a booking there and back', (engine) => {
  it('is more than PostgreSQL leaves as it is, and neither compressed nor moved to another table', async () => {
    const server = await startTestServer(engine, { settings: { ROLES: 'api' } });
    try {
      const key = server.keys.test;
      const post = (path: string, body: object) =>
        restRequest(server.url, 'POST', path, { key, body, headers: { 'Idempotency-Key': 'kept whole' } });
      const slices = [
        { origin: 'GRU', destination: 'GIG', departureDate: inDays(40) },
        { origin: 'GIG', destination: 'GRU', departureDate: inDays(50) },
      ];
      const search = { type: 'round_trip', slices, passengers: [{ type: 'adult', count: 1 }] };
      const { offers } = (await post('/api/v1/flights/search', search)).body;
      const { body } = await post('/api/v1/bookings', requestFor(offers[0]));
      const kept = await server.query(
        `SELECT b.slices::text <> '' AS is_there, pg_column_compression(b.slices) AS booking,
                pg_column_compression(e.data) AS event, octet_length(e.data::text) > 2000 AS is_large,
                octet_length(k.outcome) > 2000 AS has_long_answer
           FROM bookings b JOIN events e ON e.subject_id = b.id AND e.type = 'booking.created'
                JOIN idempotency_keys k ON k.key = 'kept whole' WHERE b.id = $1`,
        [body.data.id],
      );
      expect(kept).toEqual([
        { is_there: true, booking: null, event: null, is_large: true, has_long_answer: true },
      ]);
      const moved = await server.query(
        `SELECT relname, pg_relation_size(reltoastrelid)::int AS bytes FROM pg_class
          WHERE oid IN ('bookings'::regclass, 'events'::regclass, 'idempotency_keys'::regclass) ORDER BY relname`,
      );
      expect(moved).toEqual([
        { relname: 'bookings', bytes: 0 },
        { relname: 'events', bytes: 0 },
        { relname: 'idempotency_keys', bytes: 0 },
      ]);
    } finally {
      await server.close();
    }
  });
});
