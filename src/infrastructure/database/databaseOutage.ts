import type { Refused } from '../observability/connectionOutage.ts';
import { ConnectionOutage, refusedByTls } from '../observability/connectionOutage.ts';
import type { Log } from '../observability/log.ts';
import { hasNoConnectionLeft, lacksEntry } from './sqlState.ts';

/** What the driver says, without a code, when the server answers that it has no TLS. */
const lacksTls = 'The server does not support SSL connections';

/** What of DATABASE_URL the database refuses. */
function refusedBy(error: Error): Refused | null {
  if (error.message === lacksTls) return 'certificate';
  return lacksEntry(error) ? 'entry' : refusedByTls(error);
}

/**
 * What new connections to the database are lost to. What is asked of it fails in many places, each of which tells its first
 * reason alone: a database that comes back and lets nobody in would be told as one that is away.
 */
export function databaseOutage(log: Log): Pick<ConnectionOutage, 'begin' | 'end'> {
  const outage = new ConnectionOutage(
    {
      service: 'database',
      setting: 'DATABASE_URL',
      refusedBy,
      meanwhile: 'what needs a new connection fails',
      level: 'error',
    },
    log,
  );
  return {
    begin(error) {
      // One that has as many sessions as it may have answers others: that is told of each request.
      if (!hasNoConnectionLeft(error)) outage.begin(error);
    },
    end: () => outage.end(),
  };
}
