import { describe, expect, it } from 'vitest';
import { formatReais } from '../../../src/infrastructure/text/brazilianText.ts';
import { printableText } from '../../../src/infrastructure/text/printableText.ts';

describe('Brazilian text', () => {
  it.each([
    [0n, 'R$ 0,00'],
    [5n, 'R$ 0,05'],
    [10_000n, 'R$ 100,00'],
    [123_456n, 'R$ 1.234,56'],
    [5_000_000n, 'R$ 50.000,00'],
    [123_456_789_012n, 'R$ 1.234.567.890,12'],
  ])('writes %s centavos', (cents, text) => {
    expect(formatReais(cents)).toBe(text);
  });

  it('prints what the standard fonts have, and replaces the rest', () => {
    expect(printableText('Ação — “Ñandú” 5 €')).toBe('Ação — “Ñandú” 5 €');
    expect(printableText('Łódź\tȘ\u0000東\u007f✈️')).toBe('Lódz S ? ?');
    expect(printableText('A\u0301rvore')).toBe('Árvore');
    expect(printableText('\u200eSol\u200b & \ufeffMar\u00ad')).toBe('Sol & Mar');
    expect(printableText('Đặng ıßøŒ ﬁ')).toBe('Dang ißøŒ fi');
    expect(printableText('Rua Boa\u2011Vista, Ｎ№ 12，ǿ ⅓')).toBe('Rua Boa-Vista, NNo 12,ø ?');
  });
});
