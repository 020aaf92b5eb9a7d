import type { Clock } from '../clock.ts';
import { simulatedSupplier } from './simulated/simulatedSupplier.ts';
import type { FlightSupplier } from './supplier.ts';

const adapters: Readonly<Record<string, (clock: Clock) => FlightSupplier>> = {
  simulated: simulatedSupplier,
};

export const flightSupplierNames: readonly string[] = Object.keys(adapters);

/**
 * The suppliers that the setting FLIGHT_SUPPLIERS names, separated by commas; all of them are asked at once.
 * @throws Error when it names none, or one that does not exist
 */
export function createFlightSuppliers(setting: string, clock: Clock): FlightSupplier[] {
  const names = new Set(setting.split(',').map((name) => name.trim()));
  return [...names].map((name) => {
    const create = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
    if (!create) throw new Error(`"${name}" is none of ${flightSupplierNames.join(', ')}`);
    return create(clock);
  });
}
