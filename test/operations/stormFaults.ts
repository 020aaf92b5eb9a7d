import type { BreakingLink } from '../harness/breakingLink.ts';
import { eventually } from '../harness/client.ts';
import type { Member } from './cluster.ts';
import { oneOf, type StormClients } from './stormClients.ts';

/** What can fail, and who is met by it. */
export interface Stage {
  readonly apis: readonly Member[];
  readonly workers: readonly Member[];
  readonly database: BreakingLink;
  readonly redis: BreakingLink;
  readonly clients: StormClients;
}

type Fault = () => Promise<void>;

/** What must have been acknowledged before something else fails. */
export const calmAnswers = 10;

/** As many faults as are asked for: each kind comes before any comes again, in an order that is drawn. */
export function* faultsOf(stage: Stage, count: number): Generator<Fault> {
  const kinds = kindsOf(stage);
  for (let made = 0; made < count; ) {
    const left = [...kinds];
    for (; left.length > 0 && made < count; made += 1) {
      const fault = oneOf(left);
      left.splice(left.indexOf(fault), 1);
      yield fault;
    }
  }
}

function kindsOf({ apis, workers, database, redis, clients }: Stage): readonly Fault[] {
  const signal = (members: readonly Member[], name: NodeJS.Signals) => async () =>
    oneOf(members).signal(name);
  const freeze = (members: readonly Member[]) => async () => {
    const member = oneOf(members);
    const isEnough = clients.hasAcknowledged(calmAnswers);
    member.signal('SIGSTOP');
    await until(isEnough);
    member.signal('SIGCONT');
  };
  return [
    signal(apis, 'SIGKILL'),
    signal(workers, 'SIGKILL'),
    signal(apis, 'SIGTERM'),
    signal(workers, 'SIGTERM'),
    freeze(apis),
    freeze(workers),
    async () => {
      const isMet = clients.hasMet(10);
      database.break();
      await until(isMet);
      database.mend();
    },
    async () => {
      const isEnough = clients.hasAcknowledged(calmAnswers);
      redis.break();
      await until(isEnough);
      redis.mend();
    },
  ];
}

/** Until then, or for as long as faults last at most: all clients may wait for a process that stands still. */
const until = (isOver: () => boolean) => eventually(isOver, 2_000).catch(() => undefined);
