import { describe, expect, it } from 'vitest';
import { boletoPdf } from '../../../src/infrastructure/payments/boletoPdf.ts';
import type { Payer } from '../../../src/infrastructure/payments/provider.ts';
import { pdfFilledRectangles } from '../../harness/pdfContent.ts';
import { address } from './boletoTexts.ts';
import { payer, someSlip } from './charges.ts';

describe('the payer on a boleto', () => {
  const linesOf = async (particulars: Partial<Payer>) => {
    const slip = await someSlip({ payer: { ...payer, ...particulars } });
    const onReceipt = slip.receiptRows.flat().find(({ label }) => label === 'Pagador');
    return [onReceipt?.lines, slip.payer.lines];
  };
  const foot = 'Sacador / Avalista:';

  it('is the name alone where nothing else is known', async () => {
    expect(await linesOf({})).toEqual([[payer.name], [payer.name, foot]]);
    expect(await linesOf({ address })).toEqual([[payer.name], [payer.name, foot]]);
  });

  it.each([
    ['11222333000181', 'CNPJ 11.222.333/0001-81'],
    ['12ABC34501DE35', 'CNPJ 12.ABC.345/01DE-35'],
  ])('is a company with the CNPJ %s and its address', async (taxId, shown) => {
    const where = 'Rua da Praia, 1000, conj. 12 — Centro — Porto Alegre/RS — CEP 90010-000';
    const [onReceipt, onSlip] = [[payer.name, shown], `${payer.name} — ${shown}`];
    expect(await linesOf({ taxId, address })).toEqual([onReceipt, [onSlip, where, foot]]);
    expect(await linesOf({ taxId })).toEqual([onReceipt, [onSlip, foot]]);
    const [, [, withoutComplement] = []] = await linesOf({
      taxId,
      address: { ...address, complement: null },
    });
    expect(withoutComplement).toBe(where.replace(', conj. 12', ''));
  });

  it('is a person with a part of the CPF, and without the address', async () => {
    const shown = 'CPF ***.982.247-**';
    expect(await linesOf({ taxId: '52998224725', address })).toEqual([
      [payer.name, shown],
      [`${payer.name} — ${shown}`, foot],
    ]);
  });

  it('leaves room under the bars of the PDF, whose middle is 12 mm above the edge of the sheet or more', async () => {
    const slip = await someSlip({ payer: { ...payer, taxId: '12ABC34501DE35', address } });
    const rectangles = pdfFilledRectangles(await boletoPdf(slip));
    const middlesMm = rectangles.map(({ y, height }) => ((y + height / 2) / 72) * 25.4);
    expect(Math.max(...middlesMm)).toBeLessThanOrEqual(297 - 12);
    expect(Math.min(...middlesMm)).toBeGreaterThan(297 - 108);
  });
});
