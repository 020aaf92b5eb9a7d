import type { Contender } from './contender.ts';
import type { Generator } from './generator.ts';
import type { Slice } from './load.ts';

/** What one entrant of a contest is asked. */
export interface Entrant {
  readonly contender: Contender;
  /** Name in the results; several entrants may be the same contender asked different things. */
  readonly name: string;
  readonly request: Pick<Slice, 'method' | 'body' | 'keys' | 'idempotent' | 'turns'> & { path: string };
}

export interface Contest {
  readonly entrants: readonly Entrant[];
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Called before each slice. */
  readonly prepare?: () => Promise<void>;
}

export interface Standing {
  readonly name: string;
  /** Median over the rounds. */
  readonly requestsPerSecond: number;
  /** Over all rounds, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU of the server's process for each request; null where the system does not tell. */
  readonly cpuMicroseconds: number | null;
  /** Requests per second of each round, in order. */
  readonly rounds: number[];
}

/**
 * Measures the entrants in interleaved slices, starting with another one each round, so that whatever else the machine
 * does falls on all of them.
 */
export async function hold(contest: Contest, generator: Generator): Promise<Standing[]> {
  const { entrants, connections, rounds, seconds, prepare } = contest;
  const tallies = entrants.map(() => ({ rates: [] as number[], latencies: [] as number[][], cpuMs: 0 }));
  const slice = async ({ contender, request: { path, ...rest } }: Entrant, duration: number) => {
    await prepare?.();
    return generator.drive({ ...rest, url: contender.url + path, connections, seconds: duration });
  };
  for (const entrant of entrants) await slice(entrant, Math.min(1, seconds));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < entrants.length; turn += 1) {
      const index = (turn + round) % entrants.length;
      const entrant = entrants[index] as Entrant;
      const cpuBefore = entrant.contender.cpuMs();
      const sample = await slice(entrant, seconds);
      const tally = tallies[index] as (typeof tallies)[number];
      tally.rates.push(sample.requests / sample.seconds);
      tally.latencies.push(sample.latencies);
      tally.cpuMs += (entrant.contender.cpuMs() ?? Number.NaN) - (cpuBefore ?? Number.NaN);
    }
  }
  return entrants.map(({ name }, index) => {
    const { rates, latencies, cpuMs } = tallies[index] as (typeof tallies)[number];
    const sorted = Float64Array.from(latencies.flat()).sort();
    const cpuMicroseconds = (cpuMs * 1_000) / sorted.length;
    return {
      name,
      requestsPerSecond: median(rates),
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      cpuMicroseconds: Number.isFinite(cpuMicroseconds) ? cpuMicroseconds : null,
      rounds: rates,
    };
  });
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return (quantile(sorted, 0.5) + quantile(sorted, 0.5, 'floor')) / 2;
}

function quantile(sorted: Float64Array, share: number, side: 'ceil' | 'floor' = 'ceil'): number {
  return sorted[Math.min(sorted.length - 1, Math[side]((sorted.length - 1) * share))] ?? Number.NaN;
}

/** Median of the ratios within each round. */
export function ratio(standings: readonly Standing[], name: string, toName: string): number {
  const of = (wanted: string) => standings.find((standing) => standing.name === wanted)?.rounds ?? [];
  const other = of(toName);
  return median(of(name).map((rate, round) => rate / (other[round] ?? Number.NaN)));
}
