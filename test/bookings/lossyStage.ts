import { afterAll, beforeAll } from 'vitest';
import { graphqlDoor } from '../doors/graphqlDoor.ts';
import { restDoor } from '../doors/restDoor.ts';
import { describeSeveralSessions } from '../harness/engines.ts';
import { startLossyLink } from '../harness/lossyLink.ts';
import { startTestServer, type TestServerOptions } from '../harness/server.ts';
import { TestClock } from '../harness/testClock.ts';
import { Airline } from './airline.ts';
import type { BookingStage } from './bookingSteps.ts';

export interface LossyStage extends BookingStage {
  readonly clock: TestClock;
  readonly link: Awaited<ReturnType<typeof startLossyLink>>;
}

/**
 * A server whose database's answers can be lost, with an airline that does as it is told. The embedded store is spoken to
 * over nothing that could lose an answer.
 */
export function describeLostAnswers(
  title: string,
  tests: (stage: LossyStage) => void,
  options: Pick<TestServerOptions, 'paymentProvider'> = {},
): void {
  describeSeveralSessions(title, (engine) => {
    const stage = {} as { -readonly [Member in keyof LossyStage]: LossyStage[Member] };
    beforeAll(async () => {
      const place = await engine.allocate();
      stage.link = await startLossyLink(new URL(place.settings.DATABASE_URL ?? ''));
      const settings = { ...place.settings, DATABASE_URL: stage.link.url };
      stage.clock = new TestClock();
      stage.airline = new Airline();
      stage.server = await startTestServer(
        { ...engine, allocate: async () => ({ ...place, settings }) },
        {
          clock: stage.clock,
          settings: { ROLES: 'api' },
          flightSuppliers: [stage.airline],
          ...options,
        },
      );
      stage.door = restDoor(() => stage.server);
      stage.otherDoor = graphqlDoor(() => stage.server);
    });
    afterAll(async () => {
      await stage.server?.close();
      stage.link?.close();
    });
    tests(stage);
  });
}
