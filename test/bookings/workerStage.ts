import { afterAll, beforeAll } from 'vitest';
import { graphqlDoor } from '../doors/graphqlDoor.ts';
import { restDoor } from '../doors/restDoor.ts';
import type { Engine } from '../harness/engines.ts';
import { startTestServer } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { Airline } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';

/**
 * A server that only takes requests, beside the workers of the tests, so that nothing happens but what these let happen: no
 * lease lapses by itself.
 */
export function workerStage(engine: Engine): BookingStage & { readonly clock: TestClock } {
  const clock = new TestClock();
  const airline = new Airline();
  const stage = { clock, airline } as { -readonly [Member in keyof BookingStage]: BookingStage[Member] } & {
    clock: TestClock;
  };
  beforeAll(async () => {
    const settings = { ROLES: 'api', FLIGHT_ORDER_TIMEOUT: '1h' };
    stage.server = await startTestServer(engine, { clock, settings, flightSuppliers: [airline] });
    stage.door = restDoor(() => stage.server);
    stage.otherDoor = graphqlDoor(() => stage.server);
  });
  afterAll(() => stage.server?.close());
  return stage;
}
