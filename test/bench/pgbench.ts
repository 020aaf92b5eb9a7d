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

/** @returns statements in a second, the time to connect left out. @throws Error when any failed. */
export async function pgbench(prepared: PreparedRun): Promise<number> {
  const { program, databaseUrl, scriptPath, statement, parameters, sets, constants } = prepared;
  const sql = statement.replace(/\$(\d+)/g, (_found, number) => parameters[Number(number) - 1] as string);
  await writeFile(scriptPath, `${[...sets, sql].join('\n')};\n`);
  const { stdout } = await run(program, [
    ...['-n', '-M', 'prepared', '-f', scriptPath],
    ...['-c', String(prepared.clients), '-j', '1', '-T', String(Math.max(1, Math.round(prepared.seconds)))],
    ...Object.entries(constants).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
    databaseUrl,
  ]);
  const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1];
  const rate = /tps = ([\d.]+) \(without initial connection time\)/.exec(stdout)?.[1];
  if (rate === undefined || (failed !== undefined && failed !== '0')) throw new Error(`pgbench: ${stdout}`);
  return Number(rate);
}
