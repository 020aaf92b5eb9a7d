import { describe, expect, it } from 'vitest';
import { knownAs } from '../../src/infrastructure/adapterName.ts';

describe('The name of an adapter', () => {
  it('is that of its setting, or the start stops', () => {
    const copied = { name: 'simulated' };
    expect(knownAs('simulated', 'PAYMENT_PROVIDER', copied)).toBe(copied);
    expect(() => knownAs('bank', 'PAYMENT_PROVIDER', copied)).toThrow(
      'PAYMENT_PROVIDER bank: its adapter has the name "simulated"',
    );
  });
});
