import { cpus, totalmem } from 'node:os';
import type { Standing } from './contest.ts';
import { ratio } from './contest.ts';
import type { Figure, Goal } from './work.ts';

export interface WorkResult {
  readonly title: string;
  /** How long it took. */
  readonly seconds: number;
  /** Of which medians are taken; null where it is not measured in rounds. */
  readonly rounds: number | null;
  readonly standings: readonly Standing[];
  readonly figures: readonly (Figure & { met: boolean })[];
  readonly notes: readonly string[];
  /** Why there are no figures; null when it went well. */
  readonly failure: string | null;
}

export interface Report {
  readonly at: string;
  readonly seconds: number;
  readonly machine: { cpu: string; cores: number; memoryGiB: number; node: string };
  /** Null without one. */
  readonly database: string | null;
  readonly skipped: string[];
  readonly works: WorkResult[];
}

export function machine(): Report['machine'] {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

/** Whether a count that must be exact was not: a fault, where a missed ratio is a disappointment. */
export function hasWrongCounts({ works }: Report): boolean {
  return works.some(({ figures }) =>
    figures.some(({ goal, met }) => goal !== undefined && 'exactly' in goal && !met),
  );
}

/** A Markdown table whose columns are as wide as their widest cell. */
function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((_, column) =>
    Math.max(3, ...[heading, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function standingRows(standings: readonly Standing[]): string[][] {
  const to = (name: string, other: string) => {
    const value = ratio(standings, name, other);
    return Number.isFinite(value) ? value.toFixed(2) : '-';
  };
  return standings.map(({ name, requestsPerSecond, p50Ms, p99Ms, cpuMicroseconds }) => [
    name,
    Math.round(requestsPerSecond).toString(),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    cpuMicroseconds === null ? '-' : Math.round(cpuMicroseconds).toString(),
    to(name, 'limit'),
    to(name, 'hand-written'),
  ]);
}

const number = (value: number) =>
  Number.isInteger(value) || Math.abs(value) >= 100 ? Math.round(value).toString() : value.toFixed(2);

function goalText(goal: Goal | undefined): string {
  if (goal === undefined) return '';
  if ('atLeast' in goal) return `≥ ${goal.atLeast}`;
  if ('atMost' in goal) return `≤ ${goal.atMost}`;
  return `= ${goal.exactly}`;
}

function figureRow({ name, unit, goal, measured, met }: WorkResult['figures'][number], title: string) {
  const verdict = goal === undefined ? 'reported' : met ? 'met' : 'missed';
  return [title, name, goalText(goal), number(measured), unit, verdict];
}

/** In how many rounds the works were measured: most of them, and which ones were in others. */
function roundsOf(works: Report['works']): string[] {
  const titles = new Map<number, string[]>();
  for (const { title, rounds } of works)
    if (rounds !== null) titles.set(rounds, [...(titles.get(rounds) ?? []), `“${title}”`]);
  const [usual, ...others] = [...titles].sort(([, some], [, more]) => more.length - some.length);
  if (!usual) return [];
  const named = others.map(([rounds, some]) => `in ${rounds}: ${some.join(', ')}`);
  return [[`Measured in ${usual[0]} rounds`, ...named].join('; ')];
}

/** When and where, in how many rounds, what was skipped and what failed. */
function circumstances({ at, seconds, machine, database, skipped, works }: Report): string[] {
  const { cpu, cores, memoryGiB, node } = machine;
  return [
    `${at}, ${seconds} s: ${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}${database === null ? '' : `, ${database}`}`,
    ...roundsOf(works),
    ...skipped.map((text) => `Skipped: ${text}`),
    ...works.flatMap(({ title, failure }) => (failure === null ? [] : [`FAILED: ${title}: ${failure}`])),
  ];
}

/** One table: goal, measured, verdict. */
function goalTable({ works }: Report): string {
  const figures = works.flatMap(({ title, figures: found }) =>
    found.map((figure, index) => figureRow(figure, index === 0 ? title : '')),
  );
  return table(['work', 'figure', 'goal', 'measured', 'unit', 'verdict'], figures);
}

const readmePart = /(?<=<!-- npm run bench -- --readme -->\n)[\s\S]*(?=<!-- end -->)/;

/** README's text with the table of this run in the place that is marked for it. */
export function withTable(readme: string, report: Report): string {
  if (!readmePart.test(readme)) throw new Error('README.md has no place for the table');
  return readme.replace(
    readmePart,
    () => `\n${circumstances(report).join('\n\n')}\n\n${goalTable(report)}\n\n`,
  );
}

/** How each entrant did, work by work, then the table of goals. */
export function printReport(report: Report): string {
  const { works } = report;
  const heading = ['entrant', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', '× limit', '× hand-written'];
  const contests = works.flatMap(({ title, standings }) =>
    standings.length > 0 ? [title, '', table(heading, standingRows(standings)), ''] : [],
  );
  const notes = works.flatMap(({ title, notes: sentences }) => sentences.map((text) => `${title}: ${text}`));
  return [
    ...circumstances(report),
    '',
    ...contests,
    ...(notes.length > 0 ? [...notes, ''] : []),
    goalTable(report),
    '',
  ].join('\n');
}
