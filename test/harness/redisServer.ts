import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { ownPort } from './ownPort.ts';

/** A Redis of a test's own, which may be stopped and started again at its port. */

/** Whether this machine has the program. */
export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Starts it, empty, and waits until it answers. */
  start(): Promise<void>;
  /** Kills it: what was in it is gone. */
  stop(): Promise<void>;
  /** Empties it. */
  flush(): Promise<void>;
  /** Keeps its connections and answers nothing, until it is thawed. */
  freeze(): void;
  thaw(): void;
  /** What it answers to a command. */
  ask(command: string, ...values: string[]): Promise<unknown>;
}

/** Asks once it answers, however long that takes to come. */
async function ask(port: number, command: string, ...values: string[]): Promise<unknown> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const answer = await client.call(command, ...values);
  client.disconnect();
  return answer;
}

/** Starts one with these options, if any, the first of which may be its configuration. */
export async function startRedisServer(...options: string[]): Promise<RedisServer> {
  const port = await ownPort();
  let child: ChildProcess | null = null;
  const redis: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    port,
    async start() {
      const place = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
      child = spawn('redis-server', [...options, ...place], { stdio: 'ignore' });
      await ask(port, 'ping');
    },
    async stop() {
      const running = child;
      child = null;
      if (!running) return;
      running.kill('SIGKILL');
      await once(running, 'exit');
    },
    async flush() {
      await ask(port, 'flushall');
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    ask: (command, ...values) => ask(port, command, ...values),
  };
  await redis.start();
  return redis;
}

export const otherModes = ['cluster', 'sentinel'] as const;

/** Starts what is no single server: a cluster that has all slots at one server, or a Sentinel that watches nothing. */
export async function startRedisIn(mode: (typeof otherModes)[number]): Promise<RedisServer> {
  // Either writes down what it is.
  const folder = await mkdtemp(join(tmpdir(), 'embarque-redis-'));
  const configuration = join(folder, 'redis.conf');
  await writeFile(configuration, `dir ${folder}\n`);
  const options = {
    cluster: async () => ['--cluster-enabled', 'yes', '--cluster-port', String(await ownPort())],
    sentinel: async () => ['--sentinel'],
  };
  const redis = await startRedisServer(configuration, ...(await options[mode]()));
  if (mode === 'cluster') await redis.ask('cluster', 'addslotsrange', '0', '16383');
  return {
    ...redis,
    async stop() {
      await redis.stop();
      await rm(folder, { recursive: true });
    },
  };
}
