import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { describeEngines, doorsOf } from './engines.ts';
import type { TestServer, TestServerOptions } from './server.ts';
import { startTestServer } from './server.ts';
import { TestClock } from './testClock.ts';

/** What a test of behaviour works with; members may be read once a test or hook runs. */
export interface DoorStage<Door> {
  readonly door: Door;
  /** The one that `door` is not. */
  readonly otherDoor: Door;
  readonly server: TestServer;
  /** The server's time; every test begins on Tuesday 2026-11-17 at noon UTC. */
  readonly clock: TestClock;
}

/** How the server is started, and on which engines: on each that is here unless said. */
export interface Staging extends Omit<TestServerOptions, 'clock'> {
  readonly describeOn?: typeof describeEngines;
  /** Each door on one of the engines, for behaviour behind the doors (see doorsOf). Through both on each unless said. */
  readonly inPairs?: boolean;
}

/** The same behaviours through either of two doors; one server for each engine. */
export function describeThrough<Door extends { readonly name: string }>(
  [makeOne, makeOther]: readonly [(server: () => TestServer) => Door, (server: () => TestServer) => Door],
  title: string,
  tests: (stage: DoorStage<Door>) => void,
  { describeOn = describeEngines, inPairs = false, ...options }: Staging,
): void {
  describeOn(title, (engine) => {
    const clock = new TestClock();
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(engine, { ...options, clock });
    });
    afterAll(() => server?.close());
    beforeEach(() => clock.reset());
    const one = makeOne(() => server);
    const other = makeOther(() => server);
    const through = inPairs ? doorsOf(engine, [one, other]) : [one, other];
    for (const door of through) {
      const otherDoor = door === one ? other : one;
      describe(`through ${door.name}`, () =>
        tests({
          door,
          otherDoor,
          clock,
          get server() {
            return server;
          },
        }));
    }
  });
}
