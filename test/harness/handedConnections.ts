import type { Sequelize } from 'sequelize';
import { vi } from 'vitest';

/** A statement as the driver is asked for it. */
export interface Asked {
  name?: string;
  callback(error: unknown, rows: unknown[]): void;
}

export interface Connection {
  query(...asked: [Asked, ...unknown[]]): unknown;
}

/**
 * Has `hand` decide what whoever asks for a connection to the database gets.
 * @returns what ends that.
 */
export function handConnections(
  { connectionManager: manager }: Sequelize,
  hand: (connect: () => Promise<Connection>, isForWriting: boolean) => Promise<Connection>,
): () => void {
  const connect = manager.getConnection.bind(manager);
  const spy = vi
    .spyOn(manager, 'getConnection')
    .mockImplementation((options) =>
      hand(() => connect(options) as Promise<Connection>, options?.type === 'write'),
    );
  return () => spy.mockRestore();
}

/** Calls `meet` with the next statement that a connection is asked for, before it is. */
export function meetNextStatement(connection: Connection, meet: (asked: Asked) => void): void {
  const query = connection.query.bind(connection);
  connection.query = (asked, ...more) => {
    connection.query = query;
    meet(asked);
    return query(asked, ...more);
  };
}
