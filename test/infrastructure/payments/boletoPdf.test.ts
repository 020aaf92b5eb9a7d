import { describe, expect, it } from 'vitest';
import { boletoPdf } from '../../../src/infrastructure/payments/boletoPdf.ts';
import { pdfContent, pdfFilledRectangles, pdfTexts } from '../../harness/pdfContent.ts';
import { overlaps, placedTexts } from '../../harness/placedTexts.ts';
import { address, labels, testMark, values } from './boletoTexts.ts';
import { payer, someSlip } from './charges.ts';
import { readInterleaved } from './interleaved.ts';

describe('the PDF of a boleto', () => {
  it('has every box, with the words and numbers of the charge', async () => {
    const slip = await someSlip();
    const texts = pdfTexts(await boletoPdf(slip));
    expect(texts).toEqual(expect.arrayContaining([...labels, ...values, slip.digitableLine]));
    expect(texts).toContain('Autenticação mecânica — FICHA DE COMPENSAÇÃO');
    expect(texts.filter((text) => text === slip.digitableLine)).toHaveLength(2);
    expect(texts).not.toContain(testMark);
  });

  it('has the amount and the due date in bold, on both parts', async () => {
    const slip = await someSlip();
    const texts = placedTexts(await boletoPdf(slip));
    for (const value of [slip.amount, slip.dueDate])
      expect(texts.filter(({ text }) => text === value).map(({ bold }) => bold)).toEqual([true, true]);
  });

  it('has bars of 103 by 13 mm that say the barcode', async () => {
    const slip = await someSlip();
    const rectangles = pdfFilledRectangles(await boletoPdf(slip));
    const mm = 72 / 25.4;
    const left = Math.min(...rectangles.map(({ x }) => x));
    const right = Math.max(...rectangles.map(({ x, width }) => x + width));
    expect((right - left) / mm).toBeCloseTo(103, 1);
    // The slip begins 15 mm from the sheet's edge, its bars 5 mm further in.
    expect(left / mm).toBeCloseTo(20, 1);
    expect(new Set(rectangles.map(({ height }) => (height / mm).toFixed(1)))).toEqual(new Set(['13.0']));
    const moduleWidth = (right - left) / 405;
    const bars = rectangles.map(({ x, width }) => ({
      start: (x - left) / moduleWidth,
      width: width / moduleWidth,
    }));
    expect(readInterleaved(bars)).toBe(slip.barcode);
  });

  it('is one A4 sheet, in Portuguese, and the same bytes for the same boleto', async () => {
    const pdf = await boletoPdf(await someSlip());
    const text = pdf.toString('latin1');
    expect(text).toContain('/MediaBox [0 0 595.28 841.89]');
    expect(text.match(/\/Type \/Page\b/g)).toHaveLength(1);
    expect(text).toContain('/Lang (pt-BR)');
    expect((await boletoPdf(await someSlip())).equals(pdf)).toBe(true);
  });

  it('says in test mode that it is worth nothing, over both parts', async () => {
    const texts = pdfTexts(await boletoPdf(await someSlip({ mode: 'test' })));
    expect(texts.filter((text) => text === testMark)).toHaveLength(4);
  });

  it('has the colour of a warning for what is worth nothing, also where it was paid', async () => {
    const paidAt = new Date('2026-11-24T02:30:00.000Z');
    const pdf = await boletoPdf(await someSlip({ mode: 'test', status: 'completed', paidAt }));
    const texts = pdfTexts(pdf);
    const marks = placedTexts(pdf).filter(({ text, points }) => texts.includes(text) && points === 12);
    expect(overlaps(marks)).toEqual([]);
    const drawn = pdfContent(pdf).split('] TJ').slice(0, texts.length);
    const coloursOf = (wanted: string) =>
      new Set(
        texts.flatMap((text, index) => {
          const before = drawn.slice(0, index + 1).join('');
          return text === wanted ? [/.*(?:^|\n)(\S+ \S+ \S+) scn/s.exec(before)?.[1]] : [];
        }),
      );
    expect(coloursOf('PAGO EM 23/11/2026').size).toBe(1);
    expect(coloursOf(testMark).size).toBe(1);
    expect(coloursOf(testMark)).not.toEqual(coloursOf('PAGO EM 23/11/2026'));
  });

  it('says when it must not be paid any more', async () => {
    expect(pdfTexts(await boletoPdf(await someSlip({ status: 'expired' })))).toContain(
      'VENCIDO EM 25/11/2026 — NÃO PAGUE',
    );
  });

  it('keeps names within their boxes, and to the letters it has', async () => {
    const name = `Voyages ŞĂ \n東京 muito ${Array.from({ length: 400 }, (_, index) => index).join(' ')}`;
    const taxId = '12ABC34501DE35';
    const pdf = await boletoPdf(await someSlip({ payer: { ...payer, name, taxId, address } }));
    const texts = placedTexts(pdf);
    expect(texts.filter(({ text }) => text.startsWith('Voyages SA  ?? muito'))).toHaveLength(2);
    expect(texts.some(({ text }) => text.endsWith('…'))).toBe(true);
    const written = texts.map(({ text }) => text.trim()).join(' ');
    const [, ...payers] = written.split('Voyages SA  ?? muito ');
    expect(payers).toHaveLength(2);
    // Of what is cut off nothing is left out before the end.
    for (const shown of payers.map((text) => text.slice(0, text.indexOf('…'))))
      expect(name).toContain(` muito ${shown}`);
    expect(overlaps(texts)).toEqual([]);
    const edges = [14.9, 195.1].map((fromLeft) => (fromLeft * 72) / 25.4);
    expect(texts.filter(({ left, right }) => left < edges[0]! || right > edges[1]!)).toEqual([]);
  });
});
