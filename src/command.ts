/**
 * What the commands have in common: they print lines, and say in one line on standard error, with exit code 2, why their
 * work could not be done.
 */

/** @throws Error when nobody takes the line, as on a full disk or in a pipe whose reader has gone. */
export function printLine(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => {
      if (error) reject(new Error(`standard output takes nothing (${error.message})`, { cause: error }));
      else resolve();
    });
  });
}

/**
 * Runs a command with the options that it was given. Exit code 0: all is well; 1: it is not; 2: it failed.
 * @param work resolves with whether all is well.
 * @param explain says why it failed.
 */
export function runCommand(
  work: (options: readonly string[]) => Promise<boolean>,
  explain: (error: unknown) => string,
): void {
  // Whoever prints hears of what is not taken. As an event that nobody hears, it would end the process with 1.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  work(process.argv.slice(2)).then(
    (isWell) => {
      process.exitCode = isWell ? 0 : 1;
    },
    (error) => {
      process.stderr.write(`${explain(error)}\n`);
      process.exitCode = 2;
    },
  );
}
