import type { Bench, ContenderName } from './bench.ts';
import type { Contest, Entrant, Standing } from './contest.ts';
import { hold, ratio } from './contest.ts';
import type { Figure, Goal, Length, Work } from './work.ts';
import type { World } from './world.ts';

export type EntrantRequest = Entrant['request'];

/** An entrant's name in the results, the server that answers, and what it is asked. */
export type Asked = readonly [name: string, contender: ContenderName, request: EntrantRequest];

/** A ratio of requests per second between two entrants. */
export type RatioGoal = { readonly entrant: string; readonly to: string } & Goal;

export interface ContestWork {
  readonly title: string;
  readonly takes: Length;
  readonly connections: number;
  readonly asked: (world: World) => readonly Asked[];
  readonly goals: readonly RatioGoal[];
  /** Found in the answer of every entrant: one that answers something else does other work. */
  readonly proof: RegExp;
  /** Called before each slice. */
  readonly prepare?: (world: World) => Promise<void>;
}

export const get = (path: string, keys: readonly string[]): EntrantRequest => ({
  path,
  method: 'GET',
  keys,
  idempotent: false,
});

/** @param idempotent whether each request carries an Idempotency-Key of its own. */
export const post = (
  path: string,
  body: string,
  keys: readonly string[],
  idempotent: boolean,
): EntrantRequest => ({ path, method: 'POST', body, keys, idempotent });

/** The same lower bound for several entrants. */
export const atLeast = (least: number, to: string, ...entrants: string[]): RatioGoal[] =>
  entrants.map((entrant) => ({ entrant, to, atLeast: least }));

/** Goals set against standings; those of entrants that did not run are left out. */
export function figuresOf(goals: readonly RatioGoal[], standings: readonly Standing[]): Figure[] {
  const ran = (name: string) => standings.some((standing) => standing.name === name);
  return goals
    .filter(({ entrant, to }) => ran(entrant) && ran(to))
    .map(({ entrant, to, ...goal }) => ({
      name: entrant,
      measured: ratio(standings, entrant, to),
      unit: `× ${to}`,
      goal,
    }));
}

async function prove({ name, contender, request }: Entrant, proof: RegExp): Promise<void> {
  const response = await fetch(contender.url + request.path, {
    method: request.method,
    headers: {
      authorization: `Bearer ${request.keys[0]}`,
      ...(request.body ? { 'content-type': 'application/json' } : {}),
      ...(request.idempotent ? { 'idempotency-key': `proof of ${name}` } : {}),
    },
    body: request.body ?? null,
  });
  const text = await response.text();
  if (!response.ok || !proof.test(text)) throw new Error(`${name} answers ${response.status} ${text}`);
}

/** Servers asked the same in turns over HTTP; those that cannot run here are left out. */
export function contestWork(work: ContestWork): Work {
  const { title, takes, connections, asked, goals, proof, prepare } = work;
  const run = async (bench: Bench) => {
    const world = await bench.world();
    const entrants: Entrant[] = [];
    for (const [name, contenderName, request] of asked(world)) {
      const contender = await bench.contender(contenderName);
      if (contender) entrants.push({ name, contender, request });
    }
    for (const entrant of entrants) await prove(entrant, proof);
    const { rounds, seconds } = bench.pace;
    const contest: Contest = {
      entrants,
      connections,
      rounds,
      seconds,
      ...(prepare ? { prepare: () => prepare(world) } : {}),
    };
    const standings = await hold(contest, bench.generator);
    return { standings, figures: figuresOf(goals, standings) };
  };
  return { title, takes, needs: [], run };
}
