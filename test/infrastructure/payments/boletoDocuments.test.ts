import { createHash } from 'node:crypto';
import PDFDocument from 'pdfkit';
import { describe, expect, it } from 'vitest';
import type { Bar } from '../../../src/infrastructure/payments/boletoBars.ts';
import { boletoPage, boletoPageSecurityPolicy } from '../../../src/infrastructure/payments/boletoPage.ts';
import { boletoPdf } from '../../../src/infrastructure/payments/boletoPdf.ts';
import type { Payer, PostalAddress } from '../../../src/infrastructure/payments/provider.ts';
import { formatReais } from '../../../src/infrastructure/text/brazilianText.ts';
import { printableText } from '../../../src/infrastructure/text/printableText.ts';
import { pdfContent, pdfFilledRectangles, pdfTexts } from '../../harness/pdfContent.ts';
import { overlaps, placedTexts } from '../../harness/placedTexts.ts';
import { payer, someSlip } from './charges.ts';
import { readInterleaved } from './interleaved.ts';

const testMark = 'SEM VALOR — AMBIENTE DE TESTE';
const pdfUrl = 'https://agency.example/boleto.pdf';
const labels = [
  'Local de pagamento',
  'Vencimento',
  'Beneficiário',
  'Agência / Código do beneficiário',
  'Data do documento',
  'Nº do documento',
  'Espécie doc.',
  'Aceite',
  'Data do processamento',
  'Nosso número',
  'Carteira',
  'Espécie',
  'Quantidade',
  '(=) Valor do documento',
  'Instruções (texto de responsabilidade do beneficiário)',
  '(-) Desconto / Abatimento',
  '(+) Mora / Multa',
  '(=) Valor cobrado',
  'Pagador',
];
const values = [
  '104-0',
  'RECIBO DO PAGADOR',
  'Agência Céu Azul Turismo',
  'Embarque Viagens Ltda — CNPJ 12.345.678/0001-95',
  '4321/654321-9',
  '19/11/2026',
  '25/11/2026',
  'R$ 1.234,56',
  'rch_01kaemx5j2fz5s2c1z9d3v0b7q',
];

const address: PostalAddress = {
  street: 'Rua da Praia',
  number: '1000',
  complement: 'conj. 12',
  district: 'Centro',
  city: 'Porto Alegre',
  state: 'RS',
  postalCode: '90010000',
};

/** The bars of the page's SVG. */
function svgBars(html: string): Bar[] {
  return Array.from(html.matchAll(/M(\d+) 0h(\d+)v1h-\d+z/g), ([, start, width]) => ({
    start: Number(start),
    width: Number(width),
  }));
}

describe('the PDF of a boleto', () => {
  it('has every box, with the words and numbers of the charge', async () => {
    const slip = await someSlip();
    const texts = pdfTexts(await boletoPdf(slip));
    expect(texts).toEqual(expect.arrayContaining([...labels, ...values, slip.digitableLine]));
    expect(texts).toContain('Autenticação mecânica — FICHA DE COMPENSAÇÃO');
    expect(texts).not.toContain(testMark);
  });

  it('has bars of 103 by 13 mm that say the barcode', async () => {
    const slip = await someSlip();
    const rectangles = pdfFilledRectangles(await boletoPdf(slip));
    const mm = 72 / 25.4;
    const left = Math.min(...rectangles.map(({ x }) => x));
    const right = Math.max(...rectangles.map(({ x, width }) => x + width));
    expect((right - left) / mm).toBeCloseTo(103, 1);
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
    const name = `Voyages ŞĂ \n東京 ${'muito '.repeat(100)}`;
    const taxId = '12ABC34501DE35';
    const pdf = await boletoPdf(await someSlip({ payer: { ...payer, name, taxId, address } }));
    const texts = placedTexts(pdf);
    expect(texts.filter(({ text }) => text.startsWith('Voyages SA  ?? muito'))).toHaveLength(2);
    expect(texts.some(({ text }) => text.endsWith('…'))).toBe(true);
    expect(overlaps(texts)).toEqual([]);
    const edges = [14.9, 195.1].map((fromLeft) => (fromLeft * 72) / 25.4);
    expect(texts.filter(({ left, right }) => left < edges[0]! || right > edges[1]!)).toEqual([]);
  });
});

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

describe('the page of a boleto', () => {
  it('has every box, with the words and numbers of the charge', async () => {
    const slip = await someSlip();
    const html = boletoPage(slip, { pdfUrl });
    for (const text of [...labels, ...values, slip.digitableLine]) expect(html).toContain(`>${text}<`);
    expect(html).toContain('<html lang="pt-BR">');
    expect(html).toContain(`<a href="${pdfUrl}">`);
    expect(html).toContain('id="copy"');
    expect(html).not.toContain('class="mark');
    expect(readInterleaved(svgBars(html))).toBe(slip.barcode);
  });

  it('has room for the whole number of the document wherever it stands', async () => {
    const rechargeId = 'rch_01m8031ymqf7yb1qs1b0w7cqta';
    const { receiptRows, slipRows } = await someSlip({ rechargeId });
    const boxes = [...receiptRows, ...slipRows].flat().filter(({ label }) => label === 'Nº do documento');
    const roomsMm = boxes.map(({ widthMm }) => widthMm - 2);
    const neededMm =
      (new PDFDocument().font('Helvetica').fontSize(8.5).widthOfString(rechargeId) / 72) * 25.4;
    expect(roomsMm.filter((roomMm) => roomMm > neededMm)).toHaveLength(2);
    const sums = [...receiptRows, ...slipRows].map((row) =>
      row.reduce((sum, { widthMm }) => sum + widthMm, 0),
    );
    expect(new Set(sums)).toEqual(new Set([180]));
  });

  // Where there is neither Helvetica nor Arial, letters may be wider.
  it('cuts nothing off in its boxes or of the line, however wide the letters are', async () => {
    const html = boletoPage(await someSlip(), { pdfUrl });
    expect(html).not.toMatch(/text-overflow|\.(box div|title)\{[^}]*nowrap/);
    expect(html).toContain('.bank,.code{flex:none}');
    expect(html).toMatch(/\.bars\{[^}]*flex:none/);
  });

  it('has everything in its main part, and a sheet that the keyboard can scroll', async () => {
    const html = boletoPage(await someSlip({ mode: 'test', status: 'expired' }), { pdfUrl });
    const [, main = ''] = /<body>\s*<main>([\s\S]*)<\/main>\s*<script>/.exec(html) ?? [];
    for (const text of ['<h1>', 'class="mark"', 'role="status"', 'class="actions"', 'FICHA DE COMPENSAÇÃO'])
      expect(main).toContain(text);
    expect(main).toContain('<div class="sheet" role="region" aria-label="Boleto" tabindex="0">');
  });

  it('loads nothing, and runs and styles only what its policy names', async () => {
    const html = boletoPage(await someSlip(), { pdfUrl });
    expect(html).not.toMatch(/\bsrc=|<link|@import|url\(|\son\w+=|\sstyle=/);
    expect(html.match(/https?:\/\/[^"\s]+/g)?.filter((url) => url !== pdfUrl)).toEqual([
      'http://www.w3.org/2000/svg',
    ]);
    for (const [tag, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const contents = Array.from(
        html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g')),
        ([, text = '']) => text,
      );
      expect(contents).toHaveLength(1);
      const hash = createHash('sha256')
        .update(contents[0] ?? '')
        .digest('base64');
      expect(boletoPageSecurityPolicy).toContain(`${directive} 'sha256-${hash}'`);
    }
    expect(boletoPageSecurityPolicy).toContain(`default-src 'none'`);
  });

  it('escapes every text that is not its own', async () => {
    const hostile = `<script>alert(1)</script>"'&amp;`;
    const escaped = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;amp;';
    const slip = await someSlip({
      payer: { name: hostile, taxId: '12ABC34501DE35', address: { ...address, street: hostile } },
      rechargeId: hostile,
    });
    const html = boletoPage(
      { ...slip, bankName: hostile, stateMark: hostile, testMark: hostile },
      { pdfUrl: hostile },
    );
    expect(html).not.toContain('alert(1)</script>');
    expect(html.split('alert(1)').length).toBe(html.split(escaped).length);
    expect(html).toContain(`<a href="${escaped}">`);
    expect(html).toContain(`<title>Boleto ${escaped}</title>`);
  });

  it('says in test mode that it is worth nothing, over both parts', async () => {
    const html = boletoPage(await someSlip({ mode: 'test' }), { pdfUrl });
    expect(html).toContain(`<div class="mark">${testMark}</div>`);
    expect(html.split(`<div class="watermark" aria-hidden="true">${testMark}</div>`)).toHaveLength(3);
  });

  it.each([
    ['completed', new Date('2026-11-24T02:30:00.000Z'), 'mark paid', 'PAGO EM 23/11/2026'],
    ['expired', null, 'mark', 'VENCIDO EM 25/11/2026 — NÃO PAGUE'],
    ['cancelled', null, 'mark', 'CANCELADO — NÃO PAGUE'],
    ['failed', null, 'mark', 'COBRANÇA RECUSADA — NÃO PAGUE'],
  ] as const)('says when it is %s, and no longer offers the line', async (status, paidAt, kind, mark) => {
    const html = boletoPage(await someSlip({ status, paidAt }), { pdfUrl });
    expect(html).toContain(`<div class="${kind}" role="status">${mark}</div>`);
    expect(html).not.toContain('id="copy"');
  });
});

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
    expect(printableText('Łódź\tȘ\u0000東✈️')).toBe('Lódz S ??');
    expect(printableText('A\u0301rvore')).toBe('Árvore');
    expect(printableText('\u200eSol\u200b & \ufeffMar\u00ad')).toBe('Sol & Mar');
    expect(printableText('Đặng ıßøŒ ﬁ')).toBe('Dang ißøŒ fi');
    expect(printableText('Rua Boa\u2011Vista, Ｎ№ 12，ǿ ⅓')).toBe('Rua Boa-Vista, NNo 12,ø ?');
  });
});
