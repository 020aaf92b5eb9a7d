import { randomBytes } from 'node:crypto';
import { builtProduct } from './builtProduct.ts';
import type { Engine } from './engines.ts';
import type { ServerProcess } from './serverProcess.ts';
import { startBuilt } from './serverProcess.ts';

interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The built product. */
export interface Build {
  /** Runs `npm run ledger:verify`'s command to its end. */
  verifyLedger(environment: Record<string, string>, ...options: string[]): Promise<Finished>;
  /** Runs `npm run operator:key`'s command to its end. */
  issueOperatorKey(environment: Record<string, string>, ...name: string[]): Promise<Finished>;
  /** Runs `npm run keys:reseal`'s command to its end. */
  resealKeys(environment: Record<string, string>, ...options: string[]): Promise<Finished>;
  /** Runs `npm run pix:callback`'s command to its end. */
  registerCallback(environment: Record<string, string>, ...options: string[]): Promise<Finished>;
  /** Starts `npm run keys:reseal`'s command, and goes on at once. */
  startResealing(environment: Record<string, string>, ...options: string[]): ServerProcess;
  /** Starts the server and waits until it listens. @throws Error with what it printed when it ends before. */
  start(environment: Record<string, string>): Promise<BuiltServer>;
  /** Ends what still runs. */
  remove(): void;
}

export interface BuiltServer {
  url: string;
  /** Kill -9. */
  kill(): Promise<void>;
  /** SIGTERM. @returns the exit code. */
  stop(): Promise<number | null>;
}

export async function buildServer(): Promise<Build> {
  const folder = await builtProduct();
  const started: ServerProcess[] = [];

  const run = (file: string, environment: Record<string, string>, ...options: string[]) => {
    const { PATH = '', TZ = 'UTC' } = process.env;
    const follower = startBuilt(folder, file, { PATH, TZ, ...environment }, options);
    started.push(follower);
    return follower;
  };

  const finish = async (...command: Parameters<typeof run>): Promise<Finished> => {
    const { exited, output } = run(...command);
    const { code } = await exited;
    return { code, ...output };
  };

  return {
    verifyLedger: (environment, ...options) => finish('ledgerVerify.js', environment, ...options),
    issueOperatorKey: (environment, ...name) => finish('operatorKey.js', environment, ...name),
    resealKeys: (environment, ...options) => finish('keysReseal.js', environment, ...options),
    registerCallback: (environment, ...options) => finish('pixCallback.js', environment, ...options),
    startResealing: (environment, ...options) => run('keysReseal.js', environment, ...options),
    async start(environment) {
      const server = run('main.js', environment);
      return {
        url: await server.ready(),
        async kill() {
          server.process.kill('SIGKILL');
          await server.exited;
        },
        stop: async () => (await server.stop()).code,
      };
    },
    remove() {
      for (const { process: child } of started) child.kill('SIGKILL');
    },
  };
}

/** A migrated, empty place on an engine for servers that run as processes of their own. */
export async function allocateStore(engine: Engine): Promise<{
  environment: Record<string, string>;
  keys: { live: string; test: string; operator: string };
  release(): Promise<void>;
}> {
  const { settings, release } = await engine.allocate();
  const secret = () => randomBytes(18).toString('base64url');
  const keys = { live: `sk_live_${secret()}`, test: `sk_test_${secret()}`, operator: `sk_admin_${secret()}` };
  const environment = {
    PORT: '0',
    LOG_LEVEL: 'warn',
    SWEEP_INTERVAL: '50ms',
    RATE_LIMIT_DEFAULT: '1000000',
    BOOTSTRAP_LIVE_KEY: keys.live,
    BOOTSTRAP_TEST_KEY: keys.test,
    BOOTSTRAP_ADMIN_KEY: keys.operator,
    ...settings,
  };
  return { environment, keys, release };
}
