import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A server under test, in a process of its own. */
export interface Contender {
  readonly name: string;
  readonly url: string;
  /** From the start of its process until it answered that it is ready, in milliseconds. */
  readonly readyMs: number;
  /** CPU that its process has used, in milliseconds; null where the system does not tell. */
  cpuMs(): number | null;
  /** Its heap after a garbage collection; with `reportsMemory` only. */
  memory(): Promise<MemorySample>;
  stop(): Promise<void>;
}

/** In bytes. */
export interface MemorySample {
  readonly rss: number;
  readonly heapUsed: number;
}

const built = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const inherited = ['PATH', 'HOME', 'TZ', 'LANG'] as const;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export interface Start {
  name: string;
  /** Compiled module, relative to this one. */
  module: string;
  environment: Record<string, string>;
  /** Answers 2xx once the server is ready. */
  readyPath: string;
  /** Whether it can be asked for `memory()`. */
  reportsMemory?: boolean;
  /** Its output goes to a file there, as a deployment's would. */
  folder: string;
}

/** Starts a server and waits until it is ready. @throws Error with its last words when it ends before. */
export async function startContender(start: Start): Promise<Contender> {
  const port = await freePort();
  const path = join(start.folder, `${start.name.replace(/\W+/g, '-')}.log`);
  const output = await open(path, 'a');
  const env = Object.fromEntries(inherited.flatMap((name) => [[name, process.env[name] ?? '']]));
  const startedAt = performance.now();
  const child = fork(built(start.module), [], {
    env: { ...env, NODE_ENV: 'production', PORT: String(port), ...start.environment },
    execArgv: [
      ...(process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean),
      ...(start.reportsMemory ? ['--expose-gc', '--import', built('./peers/memoryReport.js')] : []),
    ],
    stdio: ['ignore', output.fd, output.fd, 'ipc'],
  });
  await output.close();
  const url = `http://127.0.0.1:${port}`;
  await readiness(child, url + start.readyPath, path);
  return {
    name: start.name,
    url,
    readyMs: performance.now() - startedAt,
    cpuMs: () => cpuMs(child),
    memory: () => memoryOf(child),
    stop: () => stop(child),
  };
}

async function readiness(child: ChildProcess, url: string, path: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${url} is not ready: ${readFileSync(path, 'utf8').slice(-2_000)}`);
    }
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function memoryOf(child: ChildProcess): Promise<MemorySample> {
  const answered = once(child, 'message');
  child.send('memory');
  const [sample] = (await answered) as [MemorySample];
  return sample;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 12_000);
  await ended;
  clearTimeout(late);
}

/** Linux counts in ticks of 10 ms (proc(5), /proc/pid/stat: utime and stime). */
function cpuMs(child: ChildProcess): number | null {
  try {
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}
