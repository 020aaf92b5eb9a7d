import { describe, expect, it } from 'vitest';
import { createAdapter } from '../../src/infrastructure/createAdapter.ts';

describe('An adapter', () => {
  const simulated = (place: string) => ({ name: 'simulated', place });
  const registry = { simulated, bank: simulated };

  it('is made by the name of its setting, with what it takes', () => {
    expect(createAdapter('PAYMENT_PROVIDER', registry, 'simulated', 'here')).toEqual(simulated('here'));
  });

  it('has that name itself, or the start stops', () => {
    expect(() => createAdapter('PAYMENT_PROVIDER', registry, 'bank', 'here')).toThrow(
      'PAYMENT_PROVIDER bank: its adapter has the name "simulated"',
    );
  });

  it.each(['other', 'toString'])('is none of the name %s', (name) => {
    expect(() => createAdapter('PAYMENT_PROVIDER', registry, name, 'here')).toThrow(
      `PAYMENT_PROVIDER: "${name}" is none of simulated, bank`,
    );
  });
});
