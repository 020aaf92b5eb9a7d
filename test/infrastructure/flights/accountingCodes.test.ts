import { describe, expect, it } from 'vitest';
import { accountingCodeOf } from '../../../src/infrastructure/flights/accountingCodes.ts';

describe('accounting codes', () => {
  it.each([
    ['LA', '957'],
    ['G3', '127'],
    ['AD', '577'],
    ['TP', '047'],
    ['AA', '001'],
    ['EK', '176'],
  ])('%s tickets on %s', (airline, code) => {
    expect(accountingCodeOf(airline)).toBe(code);
  });

  it.each(['FO', 'ZZ', '', 'constructor'])(
    '%j, without tickets of its own, on the stock of Hahn Air',
    (airline) => {
      expect(accountingCodeOf(airline)).toBe('169');
    },
  );
});
