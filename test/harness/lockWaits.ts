import type { TestServer } from './server.ts';

/** How many sessions of the server's database wait for a lock at this moment. */
export async function lockWaits(server: Pick<TestServer, 'query'>): Promise<number> {
  const waiting = await server.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.length;
}
