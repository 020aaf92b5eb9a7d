import { knownAs } from '../adapterName.ts';
import type { Clock } from '../clock.ts';
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

/**
 * The suppliers of these names, which the setting FLIGHT_SUPPLIERS may have.
 * @throws Error for any other name, for an adapter that has another one, and whatever an adapter throws that lacks settings
 */
export function createFlightSuppliers(
  names: readonly string[],
  clock: Clock,
  settings: SupplierSettings,
): FlightSupplier[] {
  return names.map((name) => {
    const create = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
    if (!create) throw new Error(`"${name}" is none of ${flightSupplierNames.join(', ')}`);
    return knownAs(name, 'FLIGHT_SUPPLIERS', create(clock, settings));
  });
}
