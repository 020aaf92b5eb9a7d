import pg from 'pg';
import { lateAfter } from '../lateAfter.ts';
import { silenceMs } from './namedQuery.ts';
import { laterSettingsSql } from './session.ts';
import { isReadOnly } from './sqlState.ts';

/** What pg says of a session that does not come in time. */
const connectTimeout = 'timeout expired';

const silent = 'the database is silent';

/** Far shorter than a process may take to stop, which may have sessions at a server that is gone. */
const goodbyeMs = 1_000;

/**
 * How long nothing comes before the system asks whether the other machine still knows of the connection; by the defaults of
 * most systems that is two hours. One that has taken the place of another lets others in, and would never answer.
 */
const keepAliveMs = 30_000;

/** By which a server tells of each session whether it takes writes: as it begins, and with an answer once that changes. */
const readOnlySettings: ReadonlySet<string> = new Set(['default_transaction_read_only', 'in_hot_standby']);

/**
 * How long a session is used that took no writes from its beginning: there may be no other server, and whoever only reads is
 * served in the meantime, without a session for each read.
 */
const readOnlyMs = 250;

/** What is used of a pg client's connection, which its types leave out. */
interface Connection {
  readonly stream: { destroy(error: Error): unknown };
  on(event: 'errorMessage', told: (error: { code?: string }) => void): void;
  on(event: 'parameterStatus', told: (told: { parameterName: string; parameterValue: string }) => void): void;
  once(event: 'end', told: () => void): void;
}

type Answered = (error: unknown, result: unknown) => void;

/** How long answers are waited for. */
export interface Patience {
  /** As long as the server lets others in: a migration or a proof of the ledger may take hours. */
  endless: boolean;
}

/** Hears of each session that comes, and of each that does not. */
interface Sessions {
  begin(error: Error): void;
  end(): void;
}

/**
 * The pg client that Sequelize's pool is made of. It hears of the end of its connection from its beginning: Sequelize
 * listens a moment after a client has connected; where the server ends the session in the same breath, as at a failover,
 * nobody would, and an error that nobody hears ends the process. The next query tells Sequelize.
 *
 * A connection is given up when it stays silent (Sequelize's own queries wait as long as named ones do), and when its
 * server takes no writes any more: DATABASE_URL may lead to another by now, and reads alone would keep it in use for ever. So
 * it is not only a write that tells it.
 */
export function driverClient(patience: Patience, outage: Sessions): typeof pg.Client {
  let sessionsCome = 0;
  return class extends pg.Client {
    /** Sequelize's mark of a connection that its pool must end instead of handing it out. */
    _invalid = false;
    /** Longest that a session is waited for; 0 for as long as it takes. */
    readonly #connectMs: number;
    readonly #config: pg.ClientConfig;
    #serverVersion = '';
    #hasCome = false;

    constructor(config: pg.ClientConfig) {
      super({ ...config, keepAliveInitialDelayMillis: keepAliveMs });
      this.#config = config;
      this.#connectMs = config.connectionTimeoutMillis ?? 0;
      this.on('error', () => undefined);
      connectionOf(this).on('errorMessage', (error) => {
        if (isReadOnly(error)) this._invalid = true;
      });
      connectionOf(this).on('parameterStatus', ({ parameterName, parameterValue }) => {
        if (parameterName === 'server_version') this.#serverVersion = parameterValue;
        if (parameterValue === 'on' && readOnlySettings.has(parameterName)) this.#endReading();
      });
    }

    #endReading(): void {
      const end = () => {
        this._invalid = true;
      };
      if (this.#hasCome) end();
      else setTimeout(end, readOnlyMs).unref();
    }

    override connect(...asked: unknown[]): never {
      const [connected] = asked as [(error?: Error) => void];
      const comeBefore = sessionsCome;
      const told = (error?: Error) => {
        // The driver's words say nothing of what it was that did not come.
        if (error?.message === connectTimeout) error.message = `${silent}: ${connectTimeout}`;
        if (!error) {
          this.#hasCome = true;
          sessionsCome += 1;
          outage.end();
          // Who opens a database says itself why that fails; and what failed while another came tells of a time before.
        } else if (!patience.endless && sessionsCome === comeBefore) outage.begin(error);
        connected(error);
      };
      return super.connect(told) as never;
    }

    override query(...asked: unknown[]): never {
      const answered = asked.at(-1);
      if (asked.length === 1 && typeof answered === 'string') return this.#setUp(answered);
      if (typeof answered !== 'function' || (patience.endless && this.#connectMs === 0))
        return super.query(...(asked as [never])) as never;
      const endWait = patience.endless ? this.#waitWhileOthersComeIn() : this.#giveUpAfter(silenceMs);
      const told: Answered = (error, result) => {
        endWait();
        answered(error, result);
      };
      return super.query(...([...asked.slice(0, -1), told] as unknown as [never])) as never;
    }

    /** Says goodbye, which a server that is silent never returns. Nothing is asked any more that could be lost. */
    override end(...asked: unknown[]): never {
      if (this.#connectMs > 0) connectionOf(this).once('end', this.#giveUpAfter(goodbyeMs));
      return super.end(...(asked as [never])) as never;
    }

    /**
     * What Sequelize asks before it hands a new session out, and nobody else: settings, and how types are to be read, which it
     * takes from the last answer of several.
     */
    #setUp(text: string): never {
      if (this.#connectMs === 0) return super.query(text) as never;
      const answer = super.query(laterSettingsSql(this.#serverVersion) + text);
      return answer.finally(this.#giveUpAfter(this.#connectMs)) as never;
    }

    /** An open connection keeps the process until then, and nothing has to keep it for one that is closed. @returns what ends it. */
    #giveUpAfter(milliseconds: number): () => void {
      return lateAfter(milliseconds, () => this.#giveUp(), false);
    }

    #giveUp(): void {
      connectionOf(this).stream.destroy(new Error(silent));
    }

    /** A server that is at work for hours lets others in meanwhile; one that is gone is silent to all. @returns what ends it. */
    #waitWhileOthersComeIn(): () => void {
      let isOver = false;
      let look: NodeJS.Timeout;
      const lookLater = () => {
        look = setTimeout(async () => {
          const isSilent = await letsNobodyIn(this.#config);
          if (isOver) return;
          if (isSilent) this.#giveUp();
          else lookLater();
        }, silenceMs);
      };
      lookLater();
      return () => {
        isOver = true;
        clearTimeout(look);
      };
    }
  };
}

/** Whether a new session is as silent as an answer that was waited for: one that is refused comes from somebody. */
function letsNobodyIn(config: pg.ClientConfig): Promise<boolean> {
  const another = new pg.Client({ ...config, connectionTimeoutMillis: silenceMs });
  another.on('error', () => undefined);
  return new Promise((resolve) => {
    another.connect((error: Error | undefined) => {
      resolve(error?.message === connectTimeout);
      another.end(() => undefined);
    });
  });
}

const connectionOf = (client: pg.Client) => (client as unknown as { connection: Connection }).connection;
