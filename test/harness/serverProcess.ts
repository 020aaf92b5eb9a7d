import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { builtProduct } from './builtProduct.ts';
import type { Json } from './client.ts';
import { eventually } from './client.ts';
import { briefRunFlags } from './compiledProduct.ts';

/** The built server as a process of its own: for what a server in the test's own process cannot show. */

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  readonly process: ChildProcess;
  /** Everything on standard output and standard error so far. */
  readonly output: { stdout: string; stderr: string };
  /** Where it listens; rejects with its output when it exits first. */
  ready(): Promise<string>;
  /** Its log so far: the lines of standard output that are JSON. */
  log(): Json[];
  /** Resolves when it is gone and its output complete. */
  exited: Promise<Exit>;
  /** Asks it to stop, and waits for that. */
  stop(): Promise<Exit>;
}

/** Follows a process that runs the server, however it was started. */
export function followServer(child: ChildProcess): ServerProcess {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  let exit: Exit | null = null;
  const exited = once(child, 'close').then(([code, signal]) => {
    exit = { code, signal };
    return exit;
  });
  return {
    process: child,
    output,
    exited,
    ready: () =>
      eventually(() => {
        if (exit) throw new Error(`exited: ${JSON.stringify(exit)}\n${output.stdout}${output.stderr}`);
        return /ready at (\S+)\n/.exec(output.stdout)?.[1];
      }, 60_000),
    log: () =>
      output.stdout
        .split('\n')
        // What is behind the last end of a line may go on with what is read next.
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/**
 * Starts a command of the built product in `folder` with this environment alone, and V8 set for brief runs.
 * @param outputs where its standard output and standard error lead, if not to `output`: open files.
 */
export function startBuilt(
  folder: string,
  file: string,
  environment: Record<string, string>,
  options: readonly string[] = [],
  outputs: readonly ['pipe' | number, 'pipe' | number] = ['pipe', 'pipe'],
): ServerProcess {
  const program = join(folder, 'dist', 'bundle', file);
  return followServer(
    spawn(process.execPath, [...briefRunFlags, program, ...options], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', ...outputs],
    }),
  );
}

/**
 * Builds the product for the tests of a file, and ends what they leave running.
 * @returns what starts the built server with these settings and nothing else of this process's environment.
 */
export function useServerProcesses(): (
  environment: Record<string, string>,
  ...options: string[]
) => ServerProcess {
  let folder = '';
  const started: ServerProcess[] = [];
  beforeAll(async () => {
    folder = await builtProduct();
  });
  afterAll(async () => {
    for (const { process: child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ exited }) => exited));
  });
  return (environment, ...options) => {
    const { PATH = '', HOME = '' } = process.env;
    const server = startBuilt(folder, 'main.js', { PATH, HOME, ...environment }, options);
    started.push(server);
    return server;
  };
}

const run = promisify(execFile);

/** Runs the lines that a banner offers for pasting. @returns their output. */
export async function paste(stdout: string, environment: Record<string, string>): Promise<string[]> {
  const commands = stdout
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim().startsWith('curl '));
  const outputs = commands.map((command) =>
    run('sh', ['-c', command], { env: { ...process.env, ...environment } }),
  );
  return (await Promise.all(outputs)).map((output) => output.stdout);
}
