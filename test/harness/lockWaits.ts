import type { TestServer } from './server.ts';

const waitingSql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** How many sessions of the server's database wait for a lock at this moment. */
export async function lockWaits(server: Pick<TestServer, 'query'>): Promise<number> {
  return (await server.query(waitingSql)).length;
}

/**
 * How many of them wait without a bound of their own. One that bounds its wait itself, as that of bookings written
 * together does, soon waits no longer, and what it was to write is written otherwise.
 */
export async function patientLockWaits(server: Pick<TestServer, 'query'>): Promise<number> {
  return (await server.query(`${waitingSql} AND query NOT LIKE '%''lock\\_timeout''%'`)).length;
}

/** How many of them have waited for half as long as what clients ask for may, far longer than a worker or a group does. */
export async function longLockWaits(server: Pick<TestServer, 'query'>): Promise<number> {
  return (await server.query(`${waitingSql} AND query_start < clock_timestamp() - interval '5 seconds'`))
    .length;
}
