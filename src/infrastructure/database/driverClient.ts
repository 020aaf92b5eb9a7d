import pg from 'pg';
import { silenceMs } from './namedQuery.ts';

/** The SQLSTATE of a write that met a read-only server. */
const readOnlyCode = '25006';

/** What is used of a pg client's connection, which its types leave out. */
interface Connection {
  readonly stream: { destroy(error: Error): unknown };
  on(event: 'errorMessage', told: (error: { code?: string }) => void): void;
}

type Answered = (error: unknown, result: unknown) => void;

/** How long answers are waited for. */
export interface Patience {
  /** For ever: a migration or a proof of the ledger may take hours. */
  endless: boolean;
}

/**
 * The pg client that Sequelize's pool is made of. It hears of the end of its connection from its beginning: Sequelize
 * listens a moment after a client has connected; where the server ends the session in the same breath, as at a failover,
 * nobody would, and an error that nobody hears ends the process. The next query tells Sequelize.
 *
 * A connection is given up when it stays silent (Sequelize's own queries wait as long as named ones do), and when its
 * server takes no writes any more: DATABASE_URL may lead to another by now, and reads alone would keep it in use for ever.
 */
export function driverClient(patience: Patience): typeof pg.Client {
  return class extends pg.Client {
    /** Sequelize's mark of a connection that its pool must end instead of handing it out. */
    _invalid = false;

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      this.on('error', () => undefined);
      connectionOf(this).on('errorMessage', ({ code }) => {
        if (code === readOnlyCode) this._invalid = true;
      });
    }

    override query(...asked: unknown[]): never {
      const answered = asked.at(-1);
      if (patience.endless || typeof answered !== 'function')
        return super.query(...(asked as [never])) as never;
      const giveUp = () => connectionOf(this).stream.destroy(new Error('the database is silent'));
      const silence = setTimeout(giveUp, silenceMs);
      const told: Answered = (error, result) => {
        clearTimeout(silence);
        answered(error, result);
      };
      return super.query(...([...asked.slice(0, -1), told] as unknown as [never])) as never;
    }
  };
}

const connectionOf = (client: pg.Client) => (client as unknown as { connection: Connection }).connection;
