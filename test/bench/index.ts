import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Contender } from './contender.ts';
import { startContender } from './contender.ts';
import { hold } from './contest.ts';
import { startGenerator } from './generator.ts';
import type { Place } from './place.ts';
import { openPlace } from './place.ts';
import type { Report } from './report.ts';
import { judge, machine, printReport } from './report.ts';
import type { ContenderName, Contenders } from './works.ts';
import { worksOf } from './works.ts';
import type { World } from './world.ts';
import { createEmbeddedWorld, createWorld, operatorKey } from './world.ts';

/**
 * `npm run bench -- [--only text] [--rounds 5] [--seconds 1.5] [--json dist/bench.json]`: the product next to peers
 * that do the same work, each in a process of its own, in one run.
 */

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1.5' },
    json: { type: 'string', default: 'dist/bench.json' },
  },
});

/** As a deployment runs it, with limits that are counted but not hit. */
const deployed = {
  ROLES: 'api',
  LOG_LEVEL: 'info',
  RATE_LIMIT_DEFAULT: '1000000000',
  RATE_LIMIT_WINDOW: '1h',
  BOOTSTRAP_ADMIN_KEY: operatorKey,
  ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  PAYMENT_PROVIDER: 'simulated',
  FLIGHT_SUPPLIERS: 'simulated',
  EXCHANGE_RATES: 'table',
};

/** What was started, so that it is stopped whatever happens. */
const running: Contender[] = [];

async function start(
  name: string,
  module: string,
  environment: Record<string, string>,
  folder: string,
): Promise<Contender> {
  const readyPath = module.startsWith('./peers/') ? '/ready' : '/health/ready';
  const contender = await startContender({ name, module, environment, readyPath, folder });
  running.push(contender);
  return contender;
}

const product = (name: string, settings: Record<string, string>, folder: string) =>
  start(name, '../../src/main.js', { ...deployed, ...settings }, folder);

interface Setting {
  contenders: Contenders;
  world: World;
  skipped: string[];
}

async function onPostgres(databaseUrl: string, { redisUrl, folder }: Place): Promise<Setting> {
  const database = { DATABASE_URL: databaseUrl };
  const single = { COALESCE_READS: 'false' };
  const memory = await product('memory', database, folder);
  const world = await createWorld(memory.url, databaseUrl);
  const peers = { ...database, CALLERS: JSON.stringify(world.callers) };
  const contenders: Partial<Record<ContenderName, Contender>> = {
    memory,
    memorySingle: await product('memory single', { ...database, ...single }, folder),
    limit: await start('limit', './peers/limit.js', peers, folder),
    handWritten: await start('hand-written', './peers/handWritten.js', peers, folder),
  };
  if (!redisUrl) return { contenders, world, skipped: ['Redis limits (set BENCH_REDIS_URL)'] };
  const shared = { ...database, REDIS_URL: redisUrl };
  contenders.redis = await product('redis', shared, folder);
  contenders.redisSingle = await product('redis single', { ...shared, ...single }, folder);
  return { contenders, world, skipped: [] };
}

async function onEmbedded({ folder }: Place): Promise<Setting> {
  const embedded = await product('embedded', { DATA_DIR: join(folder, 'data') }, folder);
  return {
    contenders: { embedded },
    world: await createEmbeddedWorld(embedded.url),
    skipped: [
      'everything on PostgreSQL, and with it the peers and the goals (set BENCH_DATABASE_URL); embedded store instead',
    ],
  };
}

async function measure(place: Place): Promise<Report> {
  const { contenders, world, skipped } = place.databaseUrl
    ? await onPostgres(place.databaseUrl, place)
    : await onEmbedded(place);
  const generator = startGenerator();
  const works: Report['works'] = [];
  try {
    for (const work of worksOf(contenders, world, Number(options.rounds), Number(options.seconds))) {
      if (!work.title.toLowerCase().includes(options.only.toLowerCase())) continue;
      process.stderr.write(`${work.title} …\n`);
      const standings = await hold(work.contest, generator);
      works.push({ title: work.title, standings, goals: judge(work.goals, standings) });
    }
  } finally {
    generator.stop();
  }
  return { at: new Date().toISOString(), machine: machine(), skipped, works };
}

const place = await openPlace();
try {
  const report = await measure(place);
  process.stdout.write(printReport(report));
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`);
} finally {
  await Promise.all(running.map((contender) => contender.stop()));
  await place.release();
}
