import { type DoorStage, describeThrough, type Staging } from '../harness/doorStages.ts';
import type { FlightDoor } from './searches.ts';
import { graphqlFlights, restFlights } from './searches.ts';

/** What a test of flights works with. */
export type FlightStage = DoorStage<FlightDoor>;

/** The same behaviours through REST and GraphQL. */
export const describeFlightDoors = (
  title: string,
  tests: (stage: FlightStage) => void,
  staging: Staging = {},
): void => describeThrough([restFlights, graphqlFlights], title, tests, staging);
