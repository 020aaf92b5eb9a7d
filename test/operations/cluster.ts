import type { Exit, ServerProcess } from '../harness/serverProcess.ts';

/** A process of a cluster, whichever it is at the moment. */
export interface Member {
  readonly name: string;
  /** Where it listens; null while it does not. */
  readonly url: string | null;
  signal(signal: NodeJS.Signals): void;
}

interface Kept extends Member {
  url: string | null;
  process: ServerProcess;
  /** Whether it was told to end. */
  isTold: boolean;
}

/** Processes of the built server on one store, each of which is started again when it has ended, as an orchestrator does. */
export class Cluster {
  readonly members: readonly Member[];
  readonly #kept: Promise<void>[];
  #isOver = false;
  /** How processes ended that served: without being told to, or otherwise than they should when they are. */
  readonly faults: string[] = [];

  /** @param environments the settings of each process, by its name. */
  constructor(
    environments: Readonly<Record<string, Record<string, string>>>,
    start: (environment: Record<string, string>) => ServerProcess,
  ) {
    const members = Object.entries(environments).map(([name, environment]) => {
      const member: Kept = {
        name,
        url: null,
        process: start(environment),
        isTold: false,
        signal(signal) {
          member.isTold ||= signal === 'SIGKILL' || signal === 'SIGTERM';
          member.process.process.kill(signal);
        },
      };
      return { member, kept: this.#keep(member, () => start(environment)) };
    });
    this.members = members.map(({ member }) => member);
    this.#kept = members.map(({ kept }) => kept);
  }

  async #keep(member: Kept, start: () => ServerProcess): Promise<void> {
    for (;;) {
      const { process: current } = member;
      current.ready().then(
        (url) => {
          if (member.process === current) member.url = url;
        },
        // One that meets a database that is away ends, and the next tries again.
        () => undefined,
      );
      const exit = await current.exited;
      if (member.url !== null && !(member.isTold && isProper(exit)))
        this.faults.push(`${member.name} ended with ${exit.code}: ${current.output.stdout.slice(-2_000)}`);
      member.url = null;
      if (this.#isOver) return;
      member.isTold = false;
      member.process = start();
    }
  }

  /** Asks all processes to end, and waits for that. */
  async stop(): Promise<void> {
    this.#isOver = true;
    for (const member of this.members) member.signal('SIGTERM');
    await Promise.all(this.#kept);
  }
}

/** Killed, or stopped without fault. */
const isProper = ({ code, signal }: Exit): boolean => signal === 'SIGKILL' || code === 0;
