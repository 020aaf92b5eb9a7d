import { printBanner } from './banner.ts';
import { readSettings, type Settings, SettingsError } from './config.ts';
import { prepareProgram } from './infrastructure/database/embeddedProgram.ts';
import type { Log } from './infrastructure/observability/log.ts';
import { misspeltSettings } from './misspeltSettings.ts';

/** The process is gone within 10 s of a signal, whatever happens. */
const longestStopMs = 9_500;

/**
 * The process: settings → server → signals. The server is loaded once the settings are known to be right and the
 * embedded engine is being compiled, on other threads: loading takes as long.
 */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  if (!settings.DATABASE_URL) prepareProgram();
  const { startServer } = await import('./server.ts');
  const running = await startServer(settings);
  const { log } = running.gateway.platform;
  warnOf(settings, log);
  // Left to Node.js, it would be printed with all that it carries, a statement's parameters for one.
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'failed');
    process.exit(1);
  });
  let isStopping = false;
  const stop = (signal: string) => {
    // At a terminal Ctrl-C comes twice: from the terminal itself, and from npm, which passes it on.
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    // Something that does not answer, a frozen database for one, must not hold the process up for ever.
    setTimeout(() => {
      log.error('not stopped in time: what is under way is given up');
      log.flush();
      process.exit(1);
    }, longestStopMs);
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
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Whoever reads it may stop the process at once.
  printBanner(running.url, running.bootstrapKeys, settings);
}

/** What a server runs with all the same, and its operator may not have meant. */
function warnOf(settings: Settings, log: Log): void {
  for (const misspelt of misspeltSettings(process.env))
    log.warn(misspelt, 'a variable is like a setting, and is none');
  if (settings.DATABASE_URL && settings.PAYMENT_PROVIDER === 'simulated')
    log.warn('payments are simulated: whoever has a live key pays its recharges without money');
}

main().catch((error) => {
  const text = error instanceof SettingsError ? error.message : `Not started: ${(error as Error).message}`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
