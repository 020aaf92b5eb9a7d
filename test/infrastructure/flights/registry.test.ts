import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/infrastructure/clock.ts';
import { createFlightSuppliers } from '../../../src/infrastructure/flights/registry.ts';

describe('flight suppliers', () => {
  it('are those that the setting names, each once', () => {
    const suppliers = createFlightSuppliers('simulated, simulated', new ManualClock());
    expect(suppliers.map((supplier) => supplier.name)).toEqual(['simulated']);
  });

  it.each(['', 'duffel', 'simulated,,', 'constructor'])('are refused for %j', (setting) => {
    expect(() => createFlightSuppliers(setting, new ManualClock())).toThrow('is none of simulated');
  });
});
