import { cpus, totalmem } from 'node:os';
import type { Standing } from './contest.ts';
import { ratio } from './contest.ts';
import type { Goal } from './works.ts';

export interface WorkResult {
  readonly title: string;
  readonly standings: Standing[];
  readonly goals: (Goal & { measured: number; met: boolean })[];
}

export interface Report {
  readonly at: string;
  readonly machine: { cpu: string; cores: number; memoryGiB: number; node: string };
  readonly skipped: string[];
  readonly works: WorkResult[];
}

/** Sets goals against standings; goals of entrants that did not run are left out. */
export function judge(goals: readonly Goal[], standings: readonly Standing[]): WorkResult['goals'] {
  const ran = (name: string) => standings.some((standing) => standing.name === name);
  return goals
    .filter(({ entrant, to }) => ran(entrant) && ran(to))
    .map((goal) => {
      const measured = ratio(standings, goal.entrant, goal.to);
      return { ...goal, measured, met: measured >= goal.atLeast };
    });
}

export function machine(): Report['machine'] {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

/** Text with columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function standingRows({ standings }: WorkResult): string[][] {
  const to = (name: string, other: string) => {
    const value = ratio(standings, name, other);
    return Number.isFinite(value) ? value.toFixed(2) : '-';
  };
  return standings.map(({ name, requestsPerSecond, p50Ms, p99Ms, cpuMicroseconds }) => [
    `  ${name}`,
    Math.round(requestsPerSecond).toString(),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    cpuMicroseconds === null ? '-' : Math.round(cpuMicroseconds).toString(),
    to(name, 'limit'),
    to(name, 'hand-written'),
  ]);
}

/** The tables of a report: how each entrant did, then goal, measured, verdict. */
export function printReport({ machine: { cpu, cores, memoryGiB, node }, skipped, works }: Report): string {
  const heading = ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', '× limit', '× hand-written'];
  const standings = works.flatMap((work) => [[work.title], ...standingRows(work)]);
  const goals = works.flatMap(({ title, goals: judged }) =>
    judged.map(({ entrant, to, atLeast, measured, met }) => [
      `${title}: ${entrant}`,
      `≥ ${atLeast} × ${to}`,
      measured.toFixed(2),
      met ? 'met' : 'missed',
    ]),
  );
  const titled = (rows: string[][]) => {
    const width = Math.max(...rows.map((row) => (row.length === 1 ? 0 : (row[0]?.length ?? 0))));
    return rows.map((row) => (row.length === 1 ? [row[0]?.slice(0, width) ?? ''] : row));
  };
  return [
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}`,
    ...skipped.map((text) => `Skipped: ${text}`),
    '',
    table(titled([heading, ...standings])),
    '',
    ...(goals.length > 0 ? [table([['work', 'goal', 'measured', 'verdict'], ...goals])] : []),
    '',
  ].join('\n');
}
