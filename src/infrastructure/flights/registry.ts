import type { Clock } from '../clock.ts';
import { createAdapter } from '../createAdapter.ts';
import { simulatedSupplier } from './simulated/simulatedSupplier.ts';
import type { FlightSupplier } from './supplier.ts';

/** What adapters take from the settings; one that may be missing is `| undefined`, not `?`, so that config.ts must have it. */
export interface SupplierSettings {
  readonly SIMULATED_TICKETING_DELAY: number;
}

const adapters: Readonly<Record<string, (clock: Clock, settings: SupplierSettings) => FlightSupplier>> = {
  simulated: (clock, settings) => simulatedSupplier(clock, settings.SIMULATED_TICKETING_DELAY),
};

export const flightSupplierNames: readonly string[] = Object.keys(adapters);

/** The suppliers of these names, which the setting FLIGHT_SUPPLIERS may have. @throws Error as `createAdapter` */
export const createFlightSuppliers = (
  names: readonly string[],
  clock: Clock,
  settings: SupplierSettings,
): FlightSupplier[] =>
  names.map((name) => createAdapter('FLIGHT_SUPPLIERS', adapters, name, clock, settings));
