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

/**
 * Has time pass, and something happen meanwhile, between the execution of the next statement of this name and its answer.
 * @returns what sets the time right again.
 */
export function stopAfter(
  name: string,
  pass: () => () => void,
  sequelize: Sequelize,
  meanwhile: () => Promise<unknown>,
): () => void {
  let restore: (() => void) | null = null;
  const stop = handConnections(sequelize, async (connect) => {
    const connection = await connect();
    meetNextStatement(connection, (asked) => {
      if (asked.name !== name || restore) return;
      const { callback } = asked;
      asked.callback = (...answer) => {
        restore = pass();
        void meanwhile().finally(() => callback(...answer));
      };
    });
    return connection;
  });
  return () => {
    stop();
    restore?.();
  };
}
