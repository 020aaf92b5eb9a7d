import type { Sequelize } from 'sequelize';

/** Takes so many connections of a server: all of its pool, say. @returns what gives them back. */
export async function takeConnections({ connectionManager }: Sequelize, count: number): Promise<() => void> {
  const taken: object[] = [];
  for (let more = count; more > 0; more -= 1)
    taken.push(await connectionManager.getConnection({ type: 'write' }));
  return () => {
    for (const connection of taken) connectionManager.releaseConnection(connection as never);
  };
}
