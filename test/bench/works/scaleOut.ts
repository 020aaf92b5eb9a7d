import type { Bench } from '../bench.ts';
import type { Contender } from '../contender.ts';
import { median } from '../contest.ts';
import { administer } from '../place.ts';
import type { Figure, Work } from '../work.ts';
import { createAgency, walletOf } from '../world.ts';

/**
 * Several api processes on one PostgreSQL and one Redis: requests per second, and whether limits and idempotency are
 * exact when requests of one team arrive at all processes at once.
 */

const balancePath = '/api/v1/wallet/balance';
const rechargePath = '/api/v1/wallet/recharge';

async function startProcesses(
  bench: Bench,
  count: number,
  settings: Record<string, string>,
): Promise<Contender[]> {
  const processes: Contender[] = [];
  for (let index = 0; index < count; index += 1)
    processes.push(await bench.product(`process ${index + 1} of ${count}`, settings));
  return processes;
}

/** Requests at once, the n-th at process n modulo their number. @returns status and body of each */
function askAll(
  processes: readonly Contender[],
  times: number,
  path: string,
  headers: Record<string, string>,
  recharge?: (index: number) => { key: string; amount: string },
): Promise<{ status: number; text: string }[]> {
  const ask = async (index: number) => {
    const { key, amount } = recharge?.(index) ?? {};
    const response = await fetch((processes[index % processes.length] as Contender).url + path, {
      method: recharge ? 'POST' : 'GET',
      headers: {
        ...headers,
        ...(key ? { 'content-type': 'application/json', 'idempotency-key': key } : {}),
      },
      ...(recharge ? { body: JSON.stringify({ amount, currency: 'BRL', payment_method: 'pix' }) } : {}),
    });
    return { status: response.status, text: await response.text() };
  };
  return Promise.all(Array.from({ length: times }, (_, index) => ask(index)));
}

/** The checks: each figure is what was let through or made, which has to be right to the last one. */
async function exactness(bench: Bench, databaseUrl: string, redisUrl: string): Promise<Figure[]> {
  const settings = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, RATE_LIMIT_DEFAULT: '120' };
  const processes = await startProcesses(bench, 4, settings);
  const first = processes[0] as Contender;
  const agency = async (name: string) => {
    const { teamId, key } = await createAgency(first.url, name);
    const walletId = await walletOf(databaseUrl, teamId);
    return { headers: { authorization: `Bearer ${key}` }, walletId };
  };
  const rechargesOf = async (walletId: number) => {
    const text = 'SELECT count(*)::int AS count FROM recharges WHERE wallet_id = $1';
    const [row] = (await administer(databaseUrl, text, [walletId])) as { count: number }[];
    return row?.count ?? Number.NaN;
  };
  const limited = await askAll(processes, 400, balancePath, (await agency('Limite')).headers);
  const daily = await agency('Limite diário');
  const requested = await askAll(processes, 60, rechargePath, daily.headers, (index) => ({
    key: `daily-${index}`,
    amount: '5000.00',
  }));
  const same = await agency('Idempotência');
  const repeated = await askAll(processes, 60, rechargePath, same.headers, () => ({
    key: 'same',
    amount: '100.00',
  }));
  const withStatus = (answers: { status: number }[], wanted: number) =>
    answers.filter(({ status }) => status === wanted).length;
  const exact = (name: string, measured: number, exactly: number): Figure => ({
    name,
    measured,
    unit: '',
    goal: { exactly },
  });
  return [
    exact('allowed of 400 under a limit of 120, 4 processes', withStatus(limited, 200), 120),
    exact('recharges of 5000.00 granted of 60, daily limit 100000.00', withStatus(requested, 201), 20),
    exact('recharges of 5000.00 in the database', await rechargesOf(daily.walletId), 20),
    exact('answers 201 to 60 with one Idempotency-Key', withStatus(repeated, 201), 60),
    exact('different answers to them', new Set(repeated.map(({ text }) => text)).size, 1),
    exact('recharges made by them', await rechargesOf(same.walletId), 1),
  ];
}

/** Requests per second of all processes together. */
async function throughput(bench: Bench, processes: readonly Contender[], keys: string[]): Promise<number> {
  const { rounds, seconds } = bench.pace;
  const connections = 48 / processes.length;
  const slices = processes.map(({ url }) => ({
    url: url + balancePath,
    method: 'GET' as const,
    idempotent: false,
    keys,
    connections,
    seconds,
  }));
  await bench.generator.drive(...slices);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const sample = await bench.generator.drive(...slices);
    rates.push(sample.requests / sample.seconds);
  }
  return median(rates);
}

async function run(bench: Bench) {
  const databaseUrl = await bench.database();
  const redisUrl = bench.place.redisUrl ?? '';
  const figures = await exactness(bench, databaseUrl, redisUrl);
  await bench.endWork();
  const shared = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
  const processes = await startProcesses(bench, 4, shared);
  const keys: string[] = [];
  for (let index = 0; index < 48; index += 1)
    keys.push((await createAgency((processes[0] as Contender).url, `Agência ${index + 1}`)).key);
  for (const count of [1, 2, 4]) {
    const measured = await throughput(bench, processes.slice(0, count), keys);
    figures.push({
      name: count === 1 ? 'balances, one process' : `balances, ${count} processes`,
      measured,
      unit: 'requests/s',
    });
  }
  const notes = [
    'PostgreSQL, Redis and the load generator share the cores with the processes: more of them than cores share, not add',
  ];
  return { figures, notes };
}

export const scaleOut: Work = {
  title: 'Several processes on one PostgreSQL and Redis',
  takes: { once: 15, round: 2.4, timed: true },
  needs: ['postgres', 'redis'],
  run,
};
