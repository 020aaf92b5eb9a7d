import type { AbstractConnector, Redis } from 'ioredis';
import type { Refused } from './connectionOutage.ts';
import { ConnectionOutage, failsTls } from './connectionOutage.ts';
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
const refusals = /^(WRONGPASS|NOAUTH)\b/;

/** What of REDIS_URL it refuses. */
function refusedBy(error: Error): Refused | null {
  if (error instanceof NoSingleServer) return 'address';
  if (failsTls(error)) return 'certificate';
  if (refusals.test(error.message)) return 'entry';
  const { command } = error as { command?: { name: string } };
  return command?.name === 'select' ? 'database' : null;
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

/**
 * Tells of each reason for which a connection is lost or does not come. One that is ended in peace, as by a proxy that has no
 * Redis behind it, is no error to the client, however often: it is told when the next one ends as well. One on which
 * something fails before it is ready is ended, and so is one to a cluster or a Sentinel.
 */
export function hearLosses(client: Redis, lose: (error: Error) => void): void {
  let isTold = false;
  let isRetried = false;
  refuseModes(client);
  client.on('error', (error) => {
    isTold = true;
    endUnready(client);
    lose(error);
  });
  client.on('reconnecting', () => {
    if (isRetried && !isTold) lose(new Error('the connection ends before Redis is ready'));
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
