import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One statement that pgbench runs over and over, prepared. */
export interface PreparedRun {
  readonly program: string;
  readonly databaseUrl: string;
  /** Where the script is written. */
  readonly scriptPath: string;
  /** With `$n` as PostgreSQL knows them. */
  readonly statement: string;
  /** What stands in the script for each parameter, from $1 on: `:variable`, or SQL made of variables. */
  readonly parameters: readonly string[];
  /** `\set` lines before the statement. */
  readonly sets: readonly string[];
  /** Values that stay the same. */
  readonly constants: Readonly<Record<string, string>>;
  readonly clients: number;
  readonly seconds: number;
}

/**
 * @returns statements in a second, once all clients have come: sessions are new in each run, and connect and plan within
 *   its time, while those of the product are there already. Null when nothing was left of its time.
 * @throws Error when any statement failed.
 */
export async function pgbench(prepared: PreparedRun): Promise<number | null> {
  const { program, databaseUrl, scriptPath, statement, parameters, sets, constants } = prepared;
  const sql = statement.replace(/\$(\d+)/g, (_found, number) => parameters[Number(number) - 1] as string);
  await writeFile(scriptPath, `${[...sets, sql].join('\n')};\n`);
  const { stdout, stderr } = await run(program, [
    ...['-n', '-M', 'prepared', '-f', scriptPath, '-c', String(prepared.clients), '-j', '1'],
    // The first second is not counted.
    ...['-T', String(Math.max(1, Math.round(prepared.seconds)) + 1), '-P', '1'],
    ...Object.entries(constants).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
    databaseUrl,
  ]);
  const failed = /^number of failed transactions: (\d+)/m.exec(stdout)?.[1] ?? '0';
  if (failed !== '0') throw new Error(`pgbench: ${stdout}`);
  return warmRate(stdout, stderr);
}

/** The rate in all seconds but the first that began when everybody had connected; null when there is none. */
function warmRate(summary: string, progress: string): number | null {
  const connectedMs = Number(/^initial connection time = ([\d.]+) ms$/m.exec(summary)?.[1]);
  let [begun, count, measured] = [0, 0, 0];
  for (const [, end, rate] of progress.matchAll(/^progress: ([\d.]+) s, ([\d.]+) tps/gm)) {
    const length = Number(end) - begun;
    if (begun > 0 && begun * 1_000 >= connectedMs) {
      count += Number(rate) * length;
      measured += length;
    }
    begun = Number(end);
  }
  return measured > 0 ? count / measured : null;
}
