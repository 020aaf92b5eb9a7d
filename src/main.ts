import { printBanner } from './banner.ts';
import { readSettings, type Settings, SettingsError } from './config.ts';
import { prepareProgram } from './infrastructure/database/embeddedProgram.ts';
import type { Log, ProcessLog } from './infrastructure/observability/log.ts';
import { misspeltSettings } from './misspeltSettings.ts';
import type { RunningServer } from './server.ts';

/** The process is gone within 10 s of a signal, whatever happens. */
const longestStopMs = 9_500;

/**
 * The process: settings → signals → server. The server is loaded once the settings are known to be right and the
 * embedded engine is being compiled, on other threads: loading takes as long.
 */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const opening = openLog(settings.LOG_LEVEL);
  let running: RunningServer | null = null;
  let isStopping = false;
  /** Whether there may be keys that are still to be shown: once, by this start. */
  let hasKeysToShow = false;
  let isToCloseOnceShown = false;
  const stop = async (signal: string) => {
    // At a terminal Ctrl-C comes twice: from the terminal itself, and from npm, which passes it on.
    if (isStopping) return;
    isStopping = true;
    const log = await opening;
    log.info({ signal }, 'stopping');
    if (!running && !hasKeysToShow) {
      // What a start is at is whole or undone: it may take hours, or wait for a database that is silent.
      log.flush();
      process.exit(0);
    }
    limitStop(log);
    if (running) close(running, log);
    else isToCloseOnceShown = true;
  };
  // A container's first process has a signal taken away that nobody listens for.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (!settings.DATABASE_URL) prepareProgram();
  const [{ startServer }, log] = await Promise.all([import('./server.ts'), opening]);
  const onKeys = () => {
    hasKeysToShow = true;
  };
  running = await startServer(settings, { log, onKeys });
  warnOf(settings, log);
  // Left to Node.js, it would be printed with all that it carries, a statement's parameters for one.
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'failed');
    process.exit(1);
  });
  // Whoever reads it may stop the process at once.
  printBanner(running.url, running.bootstrap, settings);
  if (isToCloseOnceShown) close(running, log);
}

async function openLog(level: string): Promise<ProcessLog> {
  const { createLog } = await import('./infrastructure/observability/log.ts');
  return createLog(level);
}

/** Something that does not answer, a frozen database for one, must not hold a stop up for ever. */
function limitStop(log: Log): void {
  setTimeout(() => {
    log.error('not stopped in time: what is under way is given up');
    log.flush();
    process.exit(1);
  }, longestStopMs);
}

/** Ends the process once all is let go of. */
function close(running: RunningServer, log: Log): void {
  running.close().then(
    () => {
      log.info('stopped');
      log.flush();
      process.exit(0);
    },
    (error) => {
      log.error({ err: error }, 'not stopped cleanly');
      log.flush();
      process.exit(1);
    },
  );
}

/** What a server runs with all the same, and its operator may not have meant. */
function warnOf(settings: Settings, log: Log): void {
  for (const misspelt of misspeltSettings(process.env))
    log.warn(misspelt, 'a variable is like a setting, and is none');
  for (const argument of process.argv.slice(2)) {
    // What it is given may be a key or a password.
    const [option] = /^-[^=]*/.exec(argument) ?? [];
    log.warn({ option }, 'an option is given, and there are none: settings are variables of the environment');
  }
  if (settings.DATABASE_URL && settings.PAYMENT_PROVIDER === 'simulated')
    log.warn('payments are simulated: whoever has a live key pays its recharges without money');
}

main().catch((error) => {
  const text = error instanceof SettingsError ? error.message : `Not started: ${(error as Error).message}`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
