import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../harness/client.ts';

const log = fileURLToPath(new URL('../../../src/infrastructure/observability/log.ts', import.meta.url));

/** Node's arguments for a program that has `log` and logs lines from 1 on in several turns, between other code. */
const programOf = (before: string, lines: number, after: string) => [
  '--input-type=module',
  '--eval',
  `import { once } from 'node:events';
    import { runnerImport } from 'vite';
    const { module } = await runnerImport(${JSON.stringify(log)});
    const log = module.createLog('info');
    ${before}
    for (let line = 1; line <= ${lines}; line += 1) {
      log.info({ line, filler: 'x'.repeat(line % 97) }, 'line');
      if (line % 300 === 0) await new Promise(setImmediate);
    }
    ${after}`,
];

/** Of a log of whole lines, and nothing else. */
function numbersIn(output: string): number[] {
  const lines = output.split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line).line as number);
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the log on standard output', () => {
  it.each([
    ['runs out of work', ''],
    ['exits', 'process.exit(0);'],
    ['exits once the log is flushed', 'log.flush(() => process.exit(0));'],
    ['fails', "setTimeout(() => { throw new Error('uncaught'); });"],
  ])('is complete and in order when the process %s', async (_name, ending) => {
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, programOf('', 1_000, ending), { maxBuffer: 2 ** 24 }, (_error, stdout) =>
        resolve(stdout),
      );
    });
    expect(numbersIn(output)).toEqual(numbersTo(1_000));
  });

  // Using process.stdout makes the pipe one that refuses what does not fit, for all that write to it.
  it('is complete and in order for a reader that is far behind', async () => {
    const before = "process.stdout.write(''); process.stderr.write('begins');";
    const child = spawn(process.execPath, programOf(before, 5_000, ''));
    await once(child.stderr, 'data');
    expect(numbersIn(await text(child.stdout))).toEqual(numbersTo(5_000));
  });

  it('does not end a process whose log nobody reads any more', async () => {
    const before = "await once(process.stdin, 'data'); process.stdin.destroy();";
    const child = spawn(process.execPath, programOf(before, 1_000, "process.stderr.write('ends');"));
    const said = text(child.stderr);
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.stdin.write('go');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await said).toBe('ends');
  });

  it('does not hold up a process whose log is no longer read, and once it is goes on in a new line, which tells how many are missing', async () => {
    const before = "process.stdout.write('');";
    const after = "process.stderr.write('ends'); await once(process.stdin, 'data'); process.stdin.destroy();";
    const child = spawn(
      process.execPath,
      programOf(before, 5_000, `${after} log.info({ line: 5001 }, 'line');`),
    );
    expect(String(await once(child.stderr, 'data'))).toBe('ends');
    const output = text(child.stdout);
    await once(child.stdout, 'data');
    child.stdin.write('go');
    const lines = (await output)
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line));
    const [notice, ...others] = lines.filter(({ line }) => line === undefined);
    const numbers = lines.filter((line) => line !== notice).map(({ line }) => line as number);
    const taken = numbers.findIndex((number, index) => number !== index + 1);
    expect(taken).toBeGreaterThan(0);
    expect(numbers.at(-1)).toBe(5_001);
    // What was held back last comes with what is new; what nobody took in between is gone.
    expect(numbers.slice(taken)).toEqual(numbersTo(5_001).slice(taken - numbers.length));
    expect(others).toEqual([]);
    expect(lines.indexOf(notice)).toBe(taken);
    expect(notice).toEqual({
      level: 40,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'embarque',
      lines: 5_001 - numbers.length,
      msg: 'log lines dropped: nobody read them',
    });
  });

  it('tells how many lines are missing once it is read again, also when nothing more is logged', async () => {
    const before = "process.stdout.write('');";
    const after =
      "log.flush(); process.stderr.write('ends'); await once(process.stdin, 'data'); process.exit(0);";
    const child = spawn(process.execPath, programOf(before, 5_000, after));
    onTestFinished(() => void child.kill());
    expect(String(await once(child.stderr, 'data'))).toBe('ends');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
    await eventually(() => output.includes('"msg":"log lines dropped'));
  });
});
