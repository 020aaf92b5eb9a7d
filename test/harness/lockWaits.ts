import type pg from 'pg';
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

/**
 * Process ids of the sessions that wait for a table of this session's database at this moment: locks are looked up anew
 * within a transaction, too. The databases of other tests are copies of the same one, where a table has the same oid.
 */
export async function tableWaits(session: Pick<pg.Client, 'query'>, table: string): Promise<number[]> {
  const { rows } = await session.query<{ pid: number }>(
    `SELECT pid FROM pg_locks WHERE relation = $1::regclass AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [table],
  );
  return rows.map(({ pid }) => pid);
}
