import type { Sequelize } from 'sequelize';
import { QueryTypes } from 'sequelize';
import { hasNoConnectionLeft } from './sqlState.ts';

interface Session {
  query(text: string): Promise<{ rows: unknown[] }>;
}

type Answered = (error: Error | null, result: { rows: unknown[] }) => void;

interface Client {
  query(text: string, answered: Answered): void;
}

/** What is used of Sequelize's connection manager beside its pool. */
interface Sessions {
  connect(config: Sequelize['config']): Promise<Client>;
  disconnect(client: Client): Promise<void>;
}

/** Runs `work` with a session beside the pool, which ends with it. */
export async function withOwnSession<T>(
  sequelize: Sequelize,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const sessions = sequelize.connectionManager as unknown as Sessions;
  const client = await sessions.connect(sequelize.config);
  const query: Session['query'] = (text) =>
    new Promise((resolve, reject) => {
      client.query(text, (error, result) => (error ? reject(error) : resolve(result)));
    });
  try {
    return await work({ query });
  } finally {
    await sessions.disconnect(client);
  }
}

const backendSql = 'SELECT pg_backend_pid() AS pid';

/**
 * Whether a session is one of the server's for as long as it lasts. Poolers may lend the server's sessions for a
 * transaction each: what one has set or locked is another's then, and stays when it is gone. Where the server has no second
 * session left, this is not found out, and believed: one is enough to run.
 */
export function keepsSessions(sequelize: Sequelize): Promise<boolean> {
  const kept = withOwnSession(sequelize, async (session) => {
    const own = async () => ((await session.query(backendSql)).rows as { pid: number }[])[0]?.pid;
    const before = await own();
    // A pooler lends first what was given back last, or in turns.
    if ((await own()) !== before) return false;
    return sequelize.transaction(async (transaction) => {
      const [other] = await sequelize.query<{ pid: number }>(backendSql, {
        transaction,
        type: QueryTypes.SELECT,
      });
      return other?.pid !== before && (await own()) === before;
    });
  });
  return kept.catch((error) => {
    if (hasNoConnectionLeft(error)) return true;
    throw error;
  });
}
