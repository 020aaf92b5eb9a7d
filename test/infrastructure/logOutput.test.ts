import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const log = fileURLToPath(new URL('../../src/infrastructure/log.ts', import.meta.url));

/** Numbers of the lines that a process logs which writes 1 000 in several turns and then ends so. */
async function linesOfProcess(ending: string): Promise<number[]> {
  const program = `
    import { runnerImport } from 'vite';
    const { module } = await runnerImport(${JSON.stringify(log)});
    const log = module.createLog('info');
    for (let line = 1; line <= 1000; line += 1) {
      log.info({ line, filler: 'x'.repeat(line % 97) }, 'line');
      if (line % 300 === 0) await new Promise(setImmediate);
    }
    ${ending}`;
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { maxBuffer: 2 ** 24 },
      (_error, stdout) => resolve(stdout),
    );
  });
  return output
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text).line as number);
}

const all = Array.from({ length: 1_000 }, (_, index) => index + 1);

describe('the log on standard output', () => {
  it.each([
    ['runs out of work', ''],
    ['exits', 'process.exit(0);'],
    ['exits once the log is flushed', 'log.flush(() => process.exit(0));'],
    ['fails', "setTimeout(() => { throw new Error('uncaught'); });"],
  ])('is complete and in order when the process %s', async (_name, ending) => {
    expect(await linesOfProcess(ending)).toEqual(all);
  });
});
