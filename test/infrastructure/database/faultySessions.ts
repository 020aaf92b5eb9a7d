import { DatabaseError } from 'pg';
import { Sequelize } from 'sequelize';
import type { NamedQuery } from '../../../src/infrastructure/database/namedQuery.ts';
import type { Client } from '../../../src/infrastructure/database/pooledClient.ts';

/** What becomes of what a session, or the server, is asked next. */
export interface Fate {
  readonly outcome: 'answered' | 'refused' | 'silent' | 'cut';
  /** How long that takes. */
  readonly ms: number;
}

/** What is used of a query by its client. */
interface Asked extends NamedQuery {
  callback(error: unknown, rows: unknown[]): void;
  handleError(error: unknown): void;
}

/** One session, which answers in the order in which it is asked, and belongs to nobody or to one who took it. */
class FaultySession implements Client {
  readonly connection: Client['connection'];
  pipeline = false;
  _invalid = false;
  owner: string | null = null;
  isSilent = false;
  readonly #asked: Asked[] = [];
  readonly #nextFate: () => Fate;
  readonly #sharers: string;
  readonly #report: (fault: string) => void;

  constructor(nextFate: () => Fate, sharers: string, report: (fault: string) => void) {
    this.#nextFate = nextFate;
    this.#sharers = sharers;
    this.#report = report;
    const destroy = (error: Error) => this.cut(error);
    this.connection = { stream: { cork() {}, uncork() {}, destroy } } as unknown as Client['connection'];
  }

  get isAsked(): boolean {
    return this.#asked.length > 0;
  }

  query(query: unknown): void {
    if (this.owner !== this.#sharers) this.#report(`a session of ${this.owner} is asked by ${this.#sharers}`);
    const asked = query as Asked;
    if (this._invalid) process.nextTick(() => asked.handleError(new Error('the connection has ended')));
    else if (this.#asked.push(asked) === 1) this.#work();
  }

  wake(): void {
    if (!this.isSilent) return;
    this.isSilent = false;
    if (this.isAsked) this.#end('answered');
  }

  cut(error = new Error('the connection was cut')): void {
    this._invalid = true;
    for (const asked of this.#asked.splice(0)) process.nextTick(() => asked.handleError(error));
  }

  #work(): void {
    if (this.isSilent) return;
    const { outcome, ms } = this.#nextFate();
    this.isSilent = outcome === 'silent';
    if (!this.isSilent) setTimeout(() => this.#end(outcome), ms);
  }

  #end(outcome: Fate['outcome']): void {
    if (this.isSilent || !this.isAsked) return;
    if (outcome === 'cut') {
      this.cut();
      return;
    }
    const asked = this.#asked.shift();
    if (outcome === 'answered') asked?.callback(null, [{}]);
    else
      asked?.handleError(Object.assign(new DatabaseError('it stayed locked', 1, 'error'), { code: '55P03' }));
    if (this.isAsked) this.#work();
  }
}

/**
 * Sequelize and its pool over sessions of which some are late, fall silent, are cut or never come, by the clock of timers. It
 * knows whose each session is, and what was done with one by those whose it was not.
 * @param sharers what those are called who take sessions to read on
 * @param nextFate what becomes of each question, and of each session that is to come
 */
export function openFaultySessions(size: number, sharers: string, nextFate: () => Fate) {
  const faults: string[] = [];
  const report = (fault: string) => faults.push(fault);
  const sessions = new Set<FaultySession>();
  const sequelize = new Sequelize('postgres://nowhere.example', {
    logging: false,
    pool: { max: size, acquire: 10_000, idle: 60_000 },
  });
  // No session is asked for its version then.
  Object.assign((sequelize as unknown as { options: object }).options, { databaseVersion: '15.0.0' });
  const manager = sequelize.connectionManager as unknown as {
    connect(): Promise<FaultySession>;
    disconnect(session: FaultySession): Promise<void>;
    getConnection(options: { type?: string; owner?: string }): Promise<FaultySession>;
    releaseConnection(session: FaultySession): void;
    destroyConnection(session: FaultySession): Promise<void>;
  };
  manager.connect = () =>
    new Promise((resolve, reject) => {
      const { outcome, ms } = nextFate();
      setTimeout(() => {
        if (outcome === 'refused') return reject(new Error('no session comes'));
        const session = new FaultySession(nextFate, sharers, report);
        sessions.add(session);
        resolve(session);
      }, ms);
    });
  manager.disconnect = async (session) => {
    sessions.delete(session);
    session.cut(new Error('the connection was ended'));
  };
  const acquire = manager.getConnection.bind(manager);
  const release = manager.releaseConnection.bind(manager);
  const destroy = manager.destroyConnection.bind(manager);
  manager.getConnection = async (options) => {
    const session = await acquire(options);
    const owner = options.owner ?? sharers;
    if (session.owner) report(`a session of ${session.owner} is given to ${owner}`);
    if (session.isAsked) report(`a session that owes answers is given to ${owner}`);
    session.owner = owner;
    return session;
  };
  manager.releaseConnection = (session) => {
    if (!session.owner) report('a session that nobody has is given back');
    if (session.isAsked) report('a session that owes answers is given back');
    session.owner = null;
    release(session);
  };
  manager.destroyConnection = async (session) => {
    if (!session.owner) report('a session that nobody has is ended');
    session.owner = null;
    await destroy(session);
  };
  return {
    sequelize,
    faults,
    all: () => [...sessions],
    /** Takes one for somebody alone, and gives it back after a while. */
    async use(owner: string, ms: number): Promise<void> {
      const session = await manager.getConnection({ owner }).catch(() => null);
      if (!session) return;
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (session.owner === owner) manager.releaseConnection(session);
      else report(`the session of ${owner} was taken from it`);
    },
  };
}
