import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from '../../../src/config.ts';
import { createFlightSuppliers, flightSupplierNames } from '../../../src/infrastructure/flights/registry.ts';
import { ManualClock } from '../../harness/manualClock.ts';
import { supplierSearch } from './simulated/searches.ts';

const settings = readSettings({});

describe('flight suppliers', () => {
  it('are those that the setting names', () => {
    const suppliers = createFlightSuppliers(['simulated'], new ManualClock(), settings);
    expect(suppliers.map((supplier) => supplier.name)).toEqual(['simulated']);
  });

  it('may be prepared before the first search, which then finds the same', async () => {
    const [prepared, fresh] = [1, 2].map(
      () => createFlightSuppliers(['simulated'], new ManualClock(), settings)[0]!,
    );
    prepared!.prepare?.();
    const options = { signal: new AbortController().signal };
    const wanted = supplierSearch({ slices: ['GRU-LIS'] });
    expect(await prepared!.search(wanted, options)).toEqual(await fresh!.search(wanted, options));
  });

  it.each(['', 'nobody', 'constructor'])('are refused for %j', (name) => {
    expect(() => createFlightSuppliers([name], new ManualClock(), settings)).toThrow(
      `"${name}" is none of ${flightSupplierNames.join(', ')}`,
    );
  });

  it.each([
    ['simulated, simulated', ['simulated']],
    ['simulated', ['simulated']],
  ])('are read from %j', (setting, names) => {
    expect(readSettings({ FLIGHT_SUPPLIERS: setting }).FLIGHT_SUPPLIERS).toEqual(names);
  });

  it.each(['nobody', 'simulated,,', 'constructor'])('stop the boot when the setting is %j', (setting) => {
    expect(() => readSettings({ FLIGHT_SUPPLIERS: setting })).toThrow(SettingsError);
  });
});
