import type { Writable } from 'node:stream';
import type { Sequelize } from 'sequelize';
import type { QueryingClient } from './namedQuery.ts';

/** What is used of the pg client that Sequelize's pool holds. */
export interface Client extends QueryingClient {
  readonly connection: { readonly stream: Pick<Writable, 'cork' | 'uncork' | 'destroy'> };
  /** Sends queries without waiting for the answers to those before. */
  pipeline: boolean;
  /** Sequelize's mark of a connection that its pool must end instead of handing it out. */
  _invalid?: boolean;
}

/** Returns a connection to the pool, or ends it. */
export function giveBack(manager: Sequelize['connectionManager'], client: Client, unusable: boolean): void {
  if (!unusable) manager.releaseConnection(client);
  // Nobody waits for the end of a connection that is given up.
  else manager.destroyConnection(client).catch(() => undefined);
}
