import { parse, toClientConfig } from 'pg-connection-string';
import type { Options, Sequelize } from 'sequelize';
import { QueryTypes } from 'sequelize';
import { keepsSessions } from './ownSession.ts';
import { undefinedName } from './sqlState.ts';

/** Longest wait for a row lock: what a second request with the same Idempotency-Key waits for the first. */
export const lockTimeoutMs = 10_000;

type SessionSettings = Readonly<Record<string, string>>;

/**
 * What sessions must have, whatever the server, the database or the role has set: dates as they are read here, and the
 * isolation and the NULL in arrays that the statements are written for.
 */
const settings: SessionSettings = {
  lock_timeout: `${lockTimeoutMs / 1_000}s`,
  datestyle: 'ISO',
  default_transaction_isolation: 'read committed',
  array_nulls: 'on',
};

/**
 * A process that freezes has its open transaction undone before those who wait for the wallet that it has locked give up;
 * by the defaults of most systems it would stay for two hours. Nothing else ends a statement or a session: one that waits
 * for a lock would fail sooner than it may, a migration never get done, and a request meet a session that is ending.
 */
const serverSettings: SessionSettings = {
  ...settings,
  idle_in_transaction_session_timeout: `${lockTimeoutMs / 1_000 - 2}s`,
  statement_timeout: '0',
  idle_session_timeout: '0',
};

/**
 * What a session is given before anything else, by the version that its server tells: transactions end no sooner than
 * statements. A server before PostgreSQL 17 would refuse whoever begins a session with it.
 */
export const laterSettingsSql = (serverVersion: string): string =>
  Number.parseInt(serverVersion, 10) >= 17 ? 'SET transaction_timeout = 0;' : '';

/** A server notices within a minute that a machine has vanished without a word. Its sessions are of TCP alone. */
const keepalives: SessionSettings = {
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
};

/**
 * A setting of ours: what `synchronous_commit` is for statements that commit asynchronously. The embedded store has none
 * of PostgreSQL's writers, so that a commit which does not wait would stay in memory for as long as no other comes.
 */
const asynchronousCommit = 'embarque.asynchronous_commit';

/** SQL: its value; NULL, by which `set_config` leaves commits as they are, in a session that has not got it. */
export const asynchronousCommitSql = `current_setting('${asynchronousCommit}', true)`;

const optionsOf = (asked: SessionSettings): string =>
  Object.entries(asked)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');

/** What the embedded store's session is asked for. */
export const sessionOptions = optionsOf(settings);

const serverOptions = optionsOf({
  ...serverSettings,
  ...keepalives,
  [asynchronousCommit]: 'off',
});

/** Parameters of a URL with which the driver begins a session: they would take the place of what sessions must have. */
const notFromUrls = {
  lock_timeout: undefined,
  statement_timeout: undefined,
  idle_in_transaction_session_timeout: undefined,
};

/**
 * Where a URL leads, read as PostgreSQL's own clients read it: with `host`, `port`, `user` and `dbname` as parameters, and
 * folders of sockets as hosts. Sequelize's reading goes elsewhere, and takes the URL's `options` instead of ours. What it does
 * not name is left to the driver, and so to PGHOST and its like.
 * @throws Error when it names files that cannot be read.
 */
export function connectionTo(url: string) {
  // The parser takes a percent sign for one that was meant where a URL has spaces.
  const parsed = parse(url.replaceAll(' ', '%20'));
  const { host, port, user, password, database, options = '', ...rest } = toClientConfig(parsed);
  const { dbname, ssl } = parsed;
  return {
    host: host ?? '',
    username: user ?? '',
    database: (dbname as string | undefined) ?? database ?? '',
    ...(typeof password === 'string' && { password }),
    ...(port !== undefined && { port }),
    dialectOptions: {
      ...rest,
      ...notFromUrls,
      // The driver has words of its own for it, as `no-verify`, which the parser leaves out: sessions had no TLS.
      ...(typeof ssl === 'string' && ssl !== 'false' && { ssl }),
      // The last of two settings holds.
      options: `${options} ${serverOptions}`.trim(),
    },
  } satisfies Options;
}

/** The youngest of the settings above: servers have it from PostgreSQL 14 on. */
const youngestSetting = 'idle_session_timeout';

/** In which every letter can be stored: as itself, or as the bytes that come. */
const encodings = ['UTF8', 'SQL_ASCII'];

/** @throws Error when sessions are not what was asked for, or the database is none for names in any language. */
export async function checkSession(sequelize: Sequelize): Promise<void> {
  const names = ['server_encoding', ...Object.keys(serverSettings)];
  const [session = {}] = await sequelize
    .query<Record<string, string>>(
      `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`,
      { type: QueryTypes.SELECT },
    )
    .catch((error: Error) => {
      if (!undefinedName(error) || !error.message.includes(youngestSetting)) throw error;
      throw new Error(`the server is older than PostgreSQL 14: ${error.message}`, { cause: error });
    });
  const { server_encoding: encoding = '' } = session;
  if (!encodings.includes(encoding))
    throw new Error(
      `the database is encoded in ${encoding}, which lacks letters: make it with ENCODING 'UTF8'`,
    );
  const lacking = Object.entries(serverSettings).filter(([name, value]) => !session[name]?.startsWith(value));
  if (lacking.length > 0) {
    const needed = lacking.map(([name, value]) => `${name} = '${value}'`).join(', ');
    throw new Error(
      `sessions lack ${needed}: a pooler in between drops their options. It must keep sessions; then set these for the role`,
    );
  }
  if (!(await keepsSessions(sequelize)))
    throw new Error('a pooler in between lends sessions for a transaction each: it must keep them');
}
