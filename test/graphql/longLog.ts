import type { TestServer } from '../harness/server.ts';

/** Characters of what each attempt of a long log was answered with. */
export const excerptCharacters = 4_096;

/** A key to a webhook’s log of a thousand attempts, each answered with 4 KiB, and what asks for it so many times at once. */
export async function longLogOf(server: TestServer, mode: 'live' | 'test') {
  const { [mode]: key } = await server.createTeam();
  const body = { url: 'https://localhost:1024/hooks', events: ['wallet.debit'] };
  const { id } = (await server.rest('POST', '/api/v1/webhooks', { key, body })).body.data;
  await server.query(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, status, due_at, created_at, attempts_made)
     SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'wallet.debit', 'delivered', now(), now(), 10
       FROM generate_series(1, 100) n`,
    [id],
  );
  await server.query(
    `INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, reason, detail, response_excerpt)
     SELECT d.id, n, now(), 5, 'ok', 'answered 200', repeat('x', ${excerptCharacters})
       FROM webhook_deliveries d, generate_series(1, 10) n WHERE d.webhook_id = $1`,
    [id],
  );
  const asking = (times: number) => {
    const excerpts = Array.from({ length: times }, (_, index) => `a${index}: responseExcerpt`).join(' ');
    return `{ webhookDeliveries(webhookId: "${id}", limit: 100) { items { attempts { ${excerpts} } } } }`;
  };
  return { key, webhookId: id as string, asking };
}
