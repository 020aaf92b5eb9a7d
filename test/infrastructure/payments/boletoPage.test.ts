import { createHash } from 'node:crypto';
import PDFDocument from 'pdfkit';
import { describe, expect, it } from 'vitest';
import type { Bar } from '../../../src/infrastructure/payments/boletoBars.ts';
import { boletoPage, boletoPageSecurityPolicy } from '../../../src/infrastructure/payments/boletoPage.ts';
import { address, labels, testMark, values } from './boletoTexts.ts';
import { someSlip } from './charges.ts';
import { readInterleaved } from './interleaved.ts';

const pdfUrl = 'https://agency.example/boleto.pdf';

/** The bars of the page's SVG. */
function svgBars(html: string): Bar[] {
  return Array.from(html.matchAll(/M(\d+) 0h(\d+)v1h-\d+z/g), ([, start, width]) => ({
    start: Number(start),
    width: Number(width),
  }));
}

describe('the page of a boleto', () => {
  it('has every box, with the words and numbers of the charge', async () => {
    const slip = await someSlip();
    const html = boletoPage(slip, { pdfUrl });
    for (const text of [...labels, ...values, slip.digitableLine]) expect(html).toContain(`>${text}<`);
    expect(html).toContain('<html lang="pt-BR">');
    expect(html).toContain('<div class="box w45 right strong"><span>(=) Valor do documento</span>');
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

  it('keeps the line above the slip on one line in the letters of telephones as well', async () => {
    const slip = await someSlip();
    const html = boletoPage(slip, { pdfUrl });
    const millimetres = (pattern: RegExp) => Number(pattern.exec(html)?.[1]);
    const roomMm =
      millimetres(/\.part\{width:(\d+)mm/) -
      millimetres(/\.bank\{width:(\d+)mm/) -
      millimetres(/\.code\{width:(\d+)mm/);
    const points = Number(/\.title\{[^}]*font-size:([\d.]+)pt/.exec(html)?.[1]);
    // Bold Roboto, which Android has for Arial: of a digit 0.575 of its size, of a dot 0.29, of a blank 0.25.
    const widths: Record<string, number> = { '.': 0.29, ' ': 0.25 };
    const line = [...slip.digitableLine].reduce((sum, letter) => sum + (widths[letter] ?? 0.575), 0);
    expect((line * points * 25.4) / 72).toBeLessThan(roomMm);
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
    expect(boletoPageSecurityPolicy).toContain(`img-src 'self'`);
  });

  it('escapes every text that is not its own', async () => {
    const hostile = `\u202e<script>alert(1)</script>"'&amp;`;
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
    expect(html).not.toContain('\u202e');
    expect(html.split('alert(1)').length).toBe(html.split(escaped).length);
    expect(html).toContain(`<a href="${escaped}">`);
    expect(html).toContain(`<title>Boleto ${escaped}</title>`);
  });

  it('says in test mode that it is worth nothing, over both parts', async () => {
    const html = boletoPage(await someSlip({ mode: 'test' }), { pdfUrl });
    expect(html).toContain(`<div class="mark">${testMark}</div>`);
    expect(html.split(`<div class="watermark" aria-hidden="true">${testMark}</div>`)).toHaveLength(3);
  });

  it('does not say in test mode when it expired, which may be before its time', async () => {
    const html = boletoPage(await someSlip({ mode: 'test', status: 'expired' }), { pdfUrl });
    expect(html).toContain('<div class="mark" role="status">VENCIDO — NÃO PAGUE</div>');
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
