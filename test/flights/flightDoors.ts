import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { TestClock } from '../doors/testClock.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TestServer, TestServerOptions } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';
import type { FlightDoor } from './searches.ts';
import { graphqlFlights, restFlights } from './searches.ts';

/** What a test works with; members may be read once a test or hook runs. */
export interface FlightStage {
  readonly door: FlightDoor;
  readonly server: TestServer;
  /** The server's time; every test begins on Tuesday 2026-11-17 at noon UTC. */
  readonly clock: TestClock;
}

/** The same behaviours through both doors, on every engine unless said; one server for each engine. */
export function describeFlightDoors(
  title: string,
  tests: (stage: FlightStage) => void,
  options: Omit<TestServerOptions, 'clock'> = {},
  describeOn = describeEngines,
): void {
  describeOn(title, (engine) => {
    const clock = new TestClock();
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(engine, { ...options, clock });
    });
    afterAll(() => server?.close());
    beforeEach(() => clock.reset());
    for (const makeDoor of [restFlights, graphqlFlights]) {
      const door = makeDoor(() => server);
      describe(`through ${door.name}`, () =>
        tests({
          door,
          clock,
          get server() {
            return server;
          },
        }));
    }
  });
}
