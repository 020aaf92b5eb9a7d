import type { AbstractConnector, Redis } from 'ioredis';
import type { Refused } from './connectionOutage.ts';
import { ConnectionOutage, refusedByTls } from './connectionOutage.ts';
import type { Log } from './log.ts';

/**
 * Longest silence after a command. A server that vanished without a word leaves a connection that the system believes in
 * for a quarter of an hour and more, while a new one would be answered.
 */
export const redisSilenceMs = 5_000;

/**
 * Whether Redis refuses a command because it has become a replica, with or without its own primary: its name may lead to
 * the new one by now.
 */
export const isOfReplica = ({ message }: Error): boolean => /READONLY|MASTERDOWN/.test(message);

/** Connected to what spreads keys over several servers, or to what only knows of servers. */
class NoSingleServer extends Error {
  constructor(mode: string) {
    super(`INFO says that it runs as ${mode}`);
  }
}

/** What Redis says to whom it does not let in. */
const refusals = /^(WRONGPASS|NOAUTH|DENIED)\b/;

/** What of REDIS_URL it refuses. */
function refusedBy(error: Error): Refused | null {
  if (error instanceof NoSingleServer) return 'address';
  if (refusals.test(error.message)) return 'entry';
  const { command } = error as { command?: { name: string } };
  return command?.name === 'select' ? 'database' : refusedByTls(error);
}

/** What one of the connections to Redis is lost to. @param meanwhile what happens without Redis. */
export const redisOutage = (connection: string, meanwhile: string, log: Log): ConnectionOutage =>
  new ConnectionOutage(
    {
      service: 'redis',
      setting: 'REDIS_URL',
      refusedBy,
      meanwhile,
      fields: { connection },
    },
    log,
  );

/**
 * Ends a connection on which anything fails before it is ready: where its database is refused, the client would go on in
 * database 0. At once it would keep what it asks next for a later connection, each time.
 */
function endUnready({ status, stream }: Redis): void {
  if (status === 'connect') setImmediate(() => stream.destroy());
}

/**
 * Fails each connection to a cluster or a Sentinel, which would refuse this command and that one. The client asks for INFO
 * before it is ready, and its connector judges the answer, which is empty where the user may not ask.
 */
function refuseModes(client: Redis): void {
  const { connector } = client as unknown as { connector: AbstractConnector };
  connector.check = (info: Partial<Record<string, string>>) => {
    // Valkey has another name for it, from 8 on.
    const mode = info.redis_mode ?? info.server_mode;
    const isRefused = mode === 'cluster' || mode === 'sentinel';
    if (isRefused) client.emit('error', new NoSingleServer(mode));
    return !isRefused;
  };
}

/** What the client asks of a new connection by itself, as it calls it. */
interface Handshake {
  hello(words: unknown[]): Promise<unknown>;
  info(judge: (error: Error | null, info?: string) => void): Promise<string>;
}

/**
 * Fails each connection to a server that is still loading what is on its disk, which may take minutes: the client would ask
 * for INFO again and again, up to ten seconds apart and without a word, and keep what is asked of it meanwhile.
 */
function refuseLoading(client: Redis): void {
  const ask = client.info.bind(client) as () => Promise<string>;
  (client as unknown as Handshake).info = (judge) => {
    const asked = ask();
    asked.then((info) => {
      if (!/^loading:1\r?$/m.test(info)) judge(null, info);
      else client.emit('error', new Error('INFO says that it is loading its data'));
    }, judge);
    return asked;
  };
}

/** Answers to a greeting after which the client goes on: with an older protocol, or without a password that is not needed. */
const goesOn = /NOPROTO|unknown command|without any password/i;

/**
 * Hears what a server says to the client's first word that turns it away and ends the connection: the client waits for all
 * other answers before it looks at that one. Of a server in protected mode, which misses a password, it would even say that
 * none is needed, each time.
 */
function hearGreeting(client: Redis, turnAway: (error: Error) => void): void {
  const handshake = client as unknown as Handshake;
  const greet = handshake.hello.bind(client);
  handshake.hello = (words) =>
    greet(words).catch((error: Error) => {
      // Without an answer it fails with the connection, of which is told otherwise.
      if (error.name === 'ReplyError' && !goesOn.test(error.message)) turnAway(error);
      throw error.message.startsWith('DENIED') ? new Error('turned away', { cause: error }) : error;
    });
}

/**
 * Tells of each reason for which a connection is lost or does not come. One that is ended in peace, as by a proxy that has no
 * Redis behind it, is no error to the client, however often: it is told when the next one ends as well. One on which
 * something fails before it is ready is ended, and so is one to a cluster, a Sentinel or a server that is still loading.
 */
export function hearLosses(client: Redis, lose: (error: Error) => void): void {
  let isTold = false;
  let isRetried = false;
  /** What the server said as it turned this connection away. */
  let refusal: Error | null = null;
  refuseModes(client);
  refuseLoading(client);
  hearGreeting(client, (error) => {
    refusal = error;
  });
  client.on('error', (error) => {
    isTold = true;
    endUnready(client);
    // What it was turned away with tells more than that its connection was reset then.
    lose(refusal ?? error);
  });
  client.on('reconnecting', () => {
    if (refusal) lose(refusal);
    else if (isRetried && !isTold) lose(new Error('the connection ends before Redis is ready'));
    refusal = null;
    isRetried = true;
  });
  client.on('ready', () => {
    isTold = false;
    isRetried = false;
  });
}

/** Logs when a connection to Redis is lost and when it is back. */
export function logOutages(client: Redis, connection: string, meanwhile: string, log: Log): void {
  const outage = redisOutage(connection, meanwhile, log);
  hearLosses(client, (error) => outage.begin(error));
  client.on('ready', () => outage.end());
}
