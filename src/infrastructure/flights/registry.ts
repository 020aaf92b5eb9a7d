import type { Clock } from '../clock.ts';
import { simulatedSupplier } from './simulated/simulatedSupplier.ts';
import type { FlightSupplier } from './supplier.ts';

const adapters: Readonly<Record<string, (clock: Clock) => FlightSupplier>> = {
  simulated: simulatedSupplier,
};

export const flightSupplierNames: readonly string[] = Object.keys(adapters);

/** The suppliers of these names, which the setting FLIGHT_SUPPLIERS may have. @throws Error for any other name */
export function createFlightSuppliers(names: readonly string[], clock: Clock): FlightSupplier[] {
  return names.map((name) => {
    const create = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
    if (!create) throw new Error(`"${name}" is none of ${flightSupplierNames.join(', ')}`);
    return create(clock);
  });
}
