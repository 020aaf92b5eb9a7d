import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Bench } from './bench.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { openPlace } from './place.ts';
import type { Report, WorkResult } from './report.ts';
import { hasWrongCounts, machine, printReport, withTable } from './report.ts';
import { inOrder, TimeBudget } from './timeBudget.ts';
import type { Need, Work } from './work.ts';
import { hasRounds, isMet, lengthOf } from './work.ts';

/**
 * `npm run bench -- [--only text] [--rounds 5] [--seconds 0.8] [--full] [--json dist/bench.json]
 * [--readme]`: the product next to peers that do the same work, each in a process of its own, in one run. `--only` takes
 * a part of a work's title; `--full` makes the ledger of ten million entries; `--readme` puts the table into README.md.
 * Unless `--rounds` says how many there are, a slow host has fewer than five, and is done within ten minutes all the same.
 */
const usualRounds = 5;

const options = chosenOptions();

function chosenOptions(): BenchOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

const remedies: Record<Need, string> = {
  postgres: 'PostgreSQL (set BENCH_DATABASE_URL)',
  redis: 'Redis (set BENCH_REDIS_URL)',
  pgbench: 'pgbench (in the PATH, or in the folder that pg_config --bindir names)',
};

async function measure(bench: Bench): Promise<Report> {
  const results = new Map<Work, WorkResult>();
  const has = bench.place.has;
  const skipped = has.postgres ? [] : [`the peers need ${remedies.postgres}: the embedded store alone`];
  if (has.postgres && !has.redis) skipped.push(`limits in Redis need ${remedies.redis}`);
  const at = new Date().toISOString();
  const started = performance.now();
  const possible = options.works.filter((work) => {
    const missing = work.needs.filter((need) => !has[need]).map((need) => remedies[need]);
    if (missing.length > 0) skipped.push(`${work.title} needs ${missing.join(' and ')}`);
    return missing.length === 0;
  });
  const budget = options.rounds || options.full ? null : new TimeBudget(usualRounds);
  const ordered = inOrder(possible);
  for (const [index, work] of ordered.entries()) {
    if (budget) bench.pace = { ...bench.pace, rounds: budget.rounds(ordered.slice(index)) };
    const result = await resultOf(work, bench);
    budget?.spend(work, bench.pace.rounds, result.seconds);
    results.set(work, result);
  }
  const seconds = Math.round((performance.now() - started) / 1_000);
  return {
    at,
    seconds,
    machine: machine(),
    database: bench.place.database,
    skipped,
    works: possible.flatMap((work) => results.get(work) ?? []),
  };
}

async function resultOf(work: Work, bench: Bench): Promise<WorkResult> {
  const { title } = work;
  process.stderr.write(`${title}, about ${Math.ceil(lengthOf(work.takes, bench.pace.rounds))} s …\n`);
  const rounds = hasRounds(work) ? bench.pace.rounds : null;
  const started = performance.now();
  try {
    const { figures, standings = [], notes = [] } = await work.run(bench);
    const seconds = Math.round((performance.now() - started) / 1_000);
    const judged = figures.map((figure) => ({ ...figure, met: isMet(figure) }));
    return { title, seconds, rounds, standings, figures: judged, notes, failure: null };
  } catch (error) {
    // The others are still worth having; the run as a whole has failed.
    process.exitCode = 1;
    const seconds = Math.round((performance.now() - started) / 1_000);
    const failure = error instanceof Error ? error.message : String(error);
    return { title, seconds, rounds, standings: [], figures: [], notes: [], failure };
  } finally {
    await bench.endWork();
  }
}

/** Prints and writes a report. */
async function tell(report: Report): Promise<void> {
  process.stdout.write(printReport(report));
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`);
  if (options.readme) await writeFile('README.md', withTable(await readFile('README.md', 'utf8'), report));
  if (hasWrongCounts(report)) process.exitCode = 1;
}

const place = await openPlace();
const { rounds, seconds, full } = options;
const bench = new Bench(place, { rounds: rounds ?? usualRounds, seconds, full });
let ending: Promise<void> | undefined;
const end = () => {
  ending ??= bench.close().then(() => place.release());
  return ending;
};
// Who interrupts a run gets the machine back as it was: no servers, no databases.
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupted = true;
    void end().finally(() => process.exit(130));
  });
try {
  const report = await measure(bench);
  if (!interrupted) await tell(report);
} finally {
  await end();
}
