import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { pino } from 'pino';
import { readSettings, settingNames } from '../../src/config.ts';
import { payloadFault } from '../../src/domain/events/validation.ts';
import { createLog } from '../../src/infrastructure/observability/log.ts';
import type { Overrides, RunningServer } from '../../src/server.ts';
import { startServer } from '../../src/server.ts';
import type { GraphqlAnswer, RestAnswer, RestOptions } from './client.ts';
import { eventually, graphqlDoor, restRequest } from './client.ts';
import type { Engine } from './engines.ts';
import { sharedCounts } from './sharedCounts.ts';

export interface TeamKeys {
  teamId: string;
  live: string;
  test: string;
}

/** A real server in this process, on a place of its own, with what tests ask of it. */
export interface TestServer {
  readonly url: string;
  readonly running: RunningServer;
  /** Keys of the demo team and the operator. */
  readonly keys: { live: string; test: string; operator: string };
  /** Lines that were logged, as JSON text. */
  readonly logLines: string[];
  rest(method: string, path: string, options?: RestOptions): Promise<RestAnswer>;
  graphql(
    query: string,
    variables: object | null,
    key: string | null,
    headers?: object,
  ): Promise<GraphqlAnswer>;
  /** A new team with a live and a test key. */
  createTeam(input?: Record<string, unknown>): Promise<TeamKeys>;
  createKey(input: Record<string, unknown>): Promise<{ id: string; secret: string }>;
  /** Rows of a statement on the server's own database: to look behind what the doors say. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** A session with its database that it knows nothing of, as somebody's psql; it ends with the server. */
  openSession(): Promise<pg.Client>;
  /** Settings with which another process can be started on the same place. */
  readonly environment: Record<string, string>;
  /** Ends the server and starts another one on the same place, with other settings where they are given. */
  restart(settings?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

export interface TestServerOptions extends Omit<Overrides, 'log'> {
  settings?: Record<string, string>;
  /** The test writes events of its own that do not fit the catalogue. */
  forgesEvents?: boolean;
}

/**
 * What does not fit the catalogue among the events that a test had recorded: whatever path emits events, some test goes
 * that way. At most a hundred of each wallet and type are looked at.
 */
async function eventFaults(server: Pick<TestServer, 'query'>): Promise<string[]> {
  const rows = await server.query<{ id: string; type: string; data: unknown }>(
    `SELECT id, type, data FROM (
       SELECT *, row_number() OVER (PARTITION BY wallet_id, type ORDER BY sequence) AS place FROM events
     ) e WHERE place <= 100`,
  );
  return rows.flatMap(({ id, type, data }) => {
    const fault = payloadFault(type, data);
    return fault === null ? [] : [`${type} ${id}: ${fault}`];
  });
}

/** The settings of all rate limits, those that come later among them. */
export const limitSettings = settingNames.filter((name) => /^RATE_LIMIT_(?!WINDOW$)/.test(name));

/** A limit that no test reaches. */
const unlimited = '1000000';

/** Whether the Redis that counts requests is that of all tests: one of a test's own may be away. */
const sharesRedis = ({ REDIS_URL }: Record<string, string>) =>
  REDIS_URL !== undefined && REDIS_URL === process.env.TEST_REDIS_URL;

/** A test may count requests. */
const isLimited = (environment: Record<string, string>) =>
  limitSettings.some((name) => environment[name] !== unlimited);

/** On a busy machine Redis may stand still for a second, and requests that wait no longer are counted elsewhere. */
export const patientWithRedis = { redisPatienceMs: 30_000 };

/** Waits until a server hears what others tell: it serves before its Redis has answered. */
const listening = ({ gateway }: RunningServer) =>
  eventually(() =>
    gateway.platform.signals.check().then(
      () => true,
      () => false,
    ),
  );

/** For tests that wait again and again for what falls due. An idle server takes a fifth of a core with it. */
export const sweepingOften = { SWEEP_INTERVAL: '50ms' };

const newKey = (prefix: string) => prefix + randomBytes(18).toString('base64url');

type OperatedServer = Pick<TestServer, 'graphql' | 'keys'>;

async function createTeam(server: OperatedServer, input: Record<string, unknown>): Promise<TeamKeys> {
  const created = await server.graphql(
    'mutation ($input: CreateTeamInput!) { createTeam(input: $input) { id } }',
    { input: { name: 'Agência de Teste', ...input } },
    server.keys.operator,
  );
  const teamId = created.body.data?.createTeam.id as string;
  const issued = await server.graphql(
    `mutation ($live: CreateApiKeyInput!, $test: CreateApiKeyInput!) {
      live: createApiKey(input: $live) { secret }
      test: createApiKey(input: $test) { secret }
    }`,
    { live: { kind: 'live', teamId, name: 'live' }, test: { kind: 'test', teamId, name: 'test' } },
    server.keys.operator,
  );
  const { live, test } = issued.body.data;
  return { teamId, live: live.secret, test: test.secret };
}

async function createKey(
  server: OperatedServer,
  input: Record<string, unknown>,
): Promise<{ id: string; secret: string }> {
  const created = await server.graphql(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }',
    { input: { name: 'Key', ...input } },
    server.keys.operator,
  );
  const issued = created.body.data?.createApiKey;
  if (!issued) throw new Error(`no key: ${JSON.stringify(created.body)}`);
  return { id: issued.apiKey.id as string, secret: issued.secret as string };
}

export async function startTestServer(
  engine: Engine,
  { settings, forgesEvents = false, ...overrides }: TestServerOptions = {},
): Promise<TestServer> {
  const place = await engine.allocate();
  const keys = { live: newKey('sk_live_'), test: newKey('sk_test_'), operator: newKey('sk_admin_') };
  const environment: Record<string, string> = {
    PORT: '0',
    LOG_LEVEL: 'info',
    SWEEP_INTERVAL: '250ms',
    // Who moves the clock on until something is seen moves it too far beside slow sweeps.
    ...(overrides.clock ? sweepingOften : {}),
    ...Object.fromEntries(limitSettings.map((name) => [name, unlimited])),
    BOOTSTRAP_LIVE_KEY: keys.live,
    BOOTSTRAP_TEST_KEY: keys.test,
    BOOTSTRAP_ADMIN_KEY: keys.operator,
    ...place.settings,
    ...settings,
  };
  const logLines: string[] = [];
  const log = createLog('info', {
    write: (line: string) => void logLines.push(line),
  } as pino.DestinationStream);
  const start = async () => {
    const isShared = sharesRedis(environment);
    const patience = isShared ? patientWithRedis : {};
    const started = await startServer(readSettings(environment), { ...patience, ...overrides, log });
    try {
      if (isShared) await listening(started);
      if (isShared && isLimited(environment)) await sharedCounts(started);
    } catch (error) {
      await started.close();
      throw error;
    }
    return started;
  };
  let running: RunningServer;
  try {
    running = await start();
  } catch (error) {
    await place.release();
    throw error;
  }
  const sessions: pg.Client[] = [];
  const server: TestServer = {
    get url() {
      return running.url;
    },
    get running() {
      return running;
    },
    keys,
    logLines,
    environment,
    async restart(changed = {}) {
      await running.close();
      Object.assign(environment, changed);
      running = await start();
    },
    rest: (method, path, request) => restRequest(running.url, method, path, request),
    graphql: (query, variables, key, headers) => graphqlDoor(running.url, query, variables, key, headers),
    createTeam: (input = {}) => createTeam(server, input),
    createKey: (input) => createKey(server, input),
    async query<Row extends object>(sql: string, values: unknown[] = []) {
      // Sequelize would look for places of values also in texts that the statement holds, such as what is sealed.
      const options = values.length > 0 ? { bind: values } : {};
      const [rows] = await running.gateway.platform.sequelize.query(sql, options);
      return rows as Row[];
    },
    async openSession() {
      const session = new pg.Client({ connectionString: environment.DATABASE_URL });
      await session.connect();
      sessions.push(session);
      return session;
    },
    async close() {
      let faults: string[] = [];
      try {
        // What they still hold would be waited for.
        for (const session of sessions) await session.end();
        if (!forgesEvents) faults = await eventFaults(server);
      } finally {
        // Whatever its database says: later files share the process, and what goes on in it.
        await running.close();
        await place.release();
      }
      if (faults.length > 0) throw new Error(`events do not fit the catalogue:\n${faults.join('\n')}`);
    },
  };
  return server;
}

/** A key that was good once. */
export async function revokedKey(server: TestServer): Promise<string> {
  const { teamId } = await server.createTeam();
  const { id, secret } = await server.createKey({ kind: 'test', teamId });
  await server.graphql(`mutation { revokeApiKey(id: "${id}") { id } }`, null, server.keys.operator);
  return secret;
}
