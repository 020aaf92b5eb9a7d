import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eticketPdf } from '../../../src/infrastructure/tickets/eticketPdf.ts';
import type { ReceiptCarrier, TicketReceipt } from '../../../src/infrastructure/tickets/receipt.ts';
import { pdfSquares, pdfTexts, pdfWords } from '../../harness/pdfContent.ts';
import { overlaps, type PlacedText, placedTexts } from '../../harness/placedTexts.ts';
import { readQrModules } from '../../harness/qrCode.ts';
import { receiptFor, receipts } from './receipts.ts';

const testMark = 'SEM VALOR — AMBIENTE DE TESTE';
const watermarkPoints = 34;
const [pageWidth, pageHeight, margin] = [595.28, 841.89, 42];
/** Rows end 27 mm above the lower edge; the footer is written from 21.5 mm on. */
const [lowestRow, highestFooter] = [76, 62];

const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\b/g)!.length;

function expectOrderly(texts: readonly PlacedText[]): void {
  const written = texts.filter(({ points }) => points !== watermarkPoints);
  expect(overlaps(written)).toEqual([]);
  for (const { text, left, right, bottom, top } of written) {
    const isInRows = bottom > lowestRow && top < pageHeight - margin;
    const isInFooter = bottom > 0 && top < highestFooter;
    const isBetweenMargins = left > margin && right < pageWidth - margin;
    expect([text, isInRows || isInFooter, isBetweenMargins]).toEqual([text, true, true]);
  }
}

const headings = ['Passageiros', 'Voos', 'Pagamento e condições'];

/** What stands lowest among the rows of each page. */
const lastRows = (texts: readonly PlacedText[]) =>
  [...new Set(texts.map(({ page }) => page))].map(
    (page) =>
      texts
        .filter((text) => text.page === page && text.points !== watermarkPoints && text.bottom > lowestRow)
        .reduce((lowest, text) => (text.bottom < lowest.bottom ? text : lowest)).text,
  );

describe('the receipt of e-tickets', () => {
  it('has the booking, its travellers, flights and price', async () => {
    const receipt = await receipts.oneWay!();
    const texts = pdfTexts(await eticketPdf(receipt));
    const [segment] = receipt.slices[0]!.segments;
    expect(texts).toEqual(
      expect.arrayContaining([
        'Recibo de bilhete eletrônico',
        'Agência Céu Azul Turismo',
        'LOCALIZADOR',
        'QX7K2M',
        'Emitido',
        '20/11/2026',
        'Ana Beatriz Souza',
        'SOUZA/ANA BEATRIZ',
        'Adulto',
        'CPF ********725',
        '047-9081726350',
        'Trecho 1: São Paulo (GRU) – Lisboa (LIS)',
        `${segment!.marketingCarrier.iataCode} ${segment!.marketingCarrierFlightNumber}`,
        segment!.departingAt.slice(11, 16),
        segment!.arrivingAt.slice(11, 16),
        'dom, 10/01/2027',
        'Terminal 3',
        'Econômica',
        segment!.aircraft.name,
        'Bagagem: 1 de mão',
        'Total pago',
        'R$ 12.345,67',
        'Localizador QX7K2M · Agência Céu Azul Turismo',
        'Página 1 de 1',
      ]),
    );
    expect(texts).not.toContain(testMark);
    expect(texts.join(' ')).not.toContain('NÃO VÁLIDO');
    expect(texts.join(' ')).not.toContain('Reembolsado');
  });

  it('has the carrier’s locator first and larger than ours, where it is known', async () => {
    const receipt = await receipts.oneWay!();
    const sizes = async (carrierReference: string | null) =>
      placedTexts(await eticketPdf({ ...receipt, carrierReference }))
        .filter(
          ({ text }) => [carrierReference, receipt.locator].includes(text) || text.startsWith('LOCALIZADOR'),
        )
        .map(({ text, points }) => [text, points]);
    expect(await sizes('XKPTRB')).toEqual([
      ['LOCALIZADOR NA COMPANHIA AÉREA', 7.5],
      ['XKPTRB', 24],
      ['LOCALIZADOR NA AGÊNCIA', 7.5],
      ['QX7K2M', 13],
    ]);
    expect(await sizes('WWWWWWWW')).toContainEqual(['WWWWWWWW', 13]);
    expect(await sizes(null)).toEqual([
      ['LOCALIZADOR', 7.5],
      ['QX7K2M', 24],
    ]);
  });

  it('names who operates a flight where that is another than its number says', async () => {
    const { slices, ...receipt } = await receipts.oneWay!();
    const [slice] = slices;
    const [segment] = slice!.segments;
    const wordsWith = async (operatingCarrier: ReceiptCarrier) => {
      const segments = [{ ...segment!, operatingCarrier }];
      return pdfWords(await eticketPdf({ ...receipt, slices: [{ ...slice!, segments }] }));
    };
    expect(await wordsWith(segment!.marketingCarrier)).not.toContain('Operado por');
    expect(await wordsWith({ iataCode: '2Z', name: 'Voepass' })).toContain('Operado por Voepass');
  });

  // A booking that gives nothing back can still be cancelled.
  it('says what the conditions say: whether something is refunded, not whether it can be cancelled', async () => {
    const receipt = await receipts.oneWay!();
    const conditions = {
      refundBeforeDeparture: { allowed: false, penaltyAmount: null, penaltyCurrency: null },
      changeBeforeDeparture: { allowed: true, penaltyAmount: '80.00', penaltyCurrency: 'USD' },
    };
    const words = pdfWords(await eticketPdf({ ...receipt, conditions }));
    expect(words).toContain('Reembolso antes da partida não é possível');
    expect(words).toContain('Alteração antes da partida possível, com multa de US$ 80,00');
    expect(words).not.toContain('Cancelamento');
  });

  it('hides all of a document but its last three characters', async () => {
    const { travellers, ...receipt } = await receipts.group!();
    const words = pdfWords(await eticketPdf({ ...receipt, travellers }));
    for (const { identityDocument } of travellers) {
      expect(words).not.toContain(identityDocument.number);
      expect(words).not.toContain(identityDocument.number.slice(-4));
    }
    expect(words).toContain('RG *******678');
    expect(words).toContain('Passaporte *****456');
  });

  it.each(Object.keys(receipts))('draws nothing over anything else, nor off the page: %s', async (kind) => {
    expectOrderly(placedTexts(await eticketPdf(await receipts[kind]!())));
  });

  it('keeps to that wherever a page ends', async () => {
    const { travellers, slices, ...receipt } = await receipts.group!();
    for (const travelling of [1, 4, 7, 9]) {
      for (let legs = 1; legs <= slices.length; legs += 1) {
        const part = { travellers: travellers.slice(0, travelling), slices: slices.slice(0, legs) };
        const texts = placedTexts(await eticketPdf({ ...receipt, ...part }));
        expectOrderly(texts);
        expect(lastRows(texts).filter((text) => headings.includes(text))).toEqual([]);
      }
    }
  });

  it('keeps to that for any names', async () => {
    const receipt = await receiptFor({ slices: ['GRU-GIG 2027-01-10'], passengers: ['adult', 'adult'] });
    const name = fc.string({
      unit: fc.constantFrom(...'aWçõ-  ’ŁĐi'),
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 5, maxLength: 5 }), async ([a, b, c, d, agencyName]) => {
        const travellers = receipt.travellers.map((traveller, index) => ({
          ...traveller,
          givenName: index === 0 ? a! : b!,
          familyName: index === 0 ? c! : d!,
        }));
        expectOrderly(placedTexts(await eticketPdf({ ...receipt, travellers, agencyName: agencyName! })));
      }),
      { numRuns: 30 },
    );
  });

  it('of nine travellers and six slices goes on over pages, each numbered and marked', async () => {
    const receipt = await receipts.group!();
    const pdf = await eticketPdf(receipt);
    const texts = placedTexts(pdf);
    const count = pagesOf(pdf);
    expect(count).toBeGreaterThan(1);
    for (let page = 1; page <= count; page += 1) {
      const onPage = texts.filter((text) => text.page === page);
      expect(onPage.map(({ text }) => text)).toContain(`Página ${page} de ${count}`);
      expect(onPage.find(({ points }) => points === watermarkPoints)?.text).toBe(testMark);
    }
    const words = pdfWords(pdf);
    for (let number = 1; number <= 6; number += 1) expect(words).toContain(`Trecho ${number}: `);
    for (const { uniqueIdentifier } of receipt.tickets) expect(words).toContain(uniqueIdentifier);
    expect(words).toContain('Bebê de colo, com o passageiro 3');
    const segments = receipt.slices.flatMap((slice) => slice.segments);
    expect(texts.filter(({ text }) => text === 'Partida')).toHaveLength(segments.length);
  });

  it('names the connections, and the slice again where it goes on on the next page', async () => {
    const receipt = await receipts.family!();
    const texts = placedTexts(await eticketPdf(receipt));
    const connections = receipt.slices.map((slice) => slice.segments.length - 1);
    const drawn = texts.filter(({ text }) => text.startsWith('Conexão em '));
    expect(drawn).toHaveLength(connections[0]! + connections[1]!);
    expect(connections).toEqual([1, 1]);
    expect(texts.filter(({ text }) => /, (direto|1 conexão)$/.test(text))).not.toEqual([]);
    expect(texts.filter(({ text }) => text.endsWith('conexões'))).toEqual([]);
    const secondPage = texts.filter(({ page }) => page === 2).map(({ text }) => text);
    expect(secondPage[0]).toBe('Trecho 2: Madri (MAD) – Curitiba (CWB)');
    expect(secondPage).toContain('Partida');
  });

  it('writes letters that the font lacks as the nearest it has', async () => {
    const words = pdfWords(await eticketPdf(await receipts.group!()));
    expect(words).toContain('João Luís d’Ávila Gonçalves');
    expect(words).toContain("D'AVILA GONCALVES/JOAO LUIS");
    expect(words).toContain('Lukasz Zólc-Wisniewski');
    expect(words).toContain('Nguyen Thi Dang');
    expect(words).not.toContain('?');
  });

  it.each<[string, Partial<TicketReceipt>, string[]]>([
    [
      'cancelled',
      { status: 'cancelled', refundCents: 1_000_000n },
      ['Cancelado', 'CANCELADO — NÃO VÁLIDO PARA EMBARQUE', 'Reembolsado R$ 10.000,00'],
    ],
    [
      'not issued yet',
      { status: 'confirmed', issuedAt: null, tickets: [] },
      ['PAGO, EMISSÃO EM ANDAMENTO — NÃO VÁLIDO PARA EMBARQUE', 'Emitido em não emitido', 'Bilhete'],
    ],
    [
      'not paid yet',
      { status: 'pending', isPaid: false },
      ['RESERVADO, AGUARDANDO PAGAMENTO', 'Total R$ 12.345,67'],
    ],
  ])('of a booking that is %s says so', async (_case, change, expected) => {
    const words = pdfWords(await eticketPdf({ ...(await receipts.oneWay!()), ...change }));
    for (const text of expected) expect(words).toContain(text);
  });

  it('has a QR code that leads to its link, when there is one', async () => {
    const receipt = await receipts.oneWay!();
    const modules = async (link: string | null) => pdfSquares(await eticketPdf({ ...receipt, link }));
    expect(readQrModules(await modules(receipt.link))).toBe(receipt.link);
    expect(await modules(null)).toEqual([]);
  });

  it('is A4 in Portuguese, and the same bytes for the same receipt', async () => {
    const receipt = await receipts.group!();
    const pdf = await eticketPdf(receipt);
    const text = pdf.toString('latin1');
    expect(text.match(/\/MediaBox \[0 0 595\.28 841\.89\]/g)).toHaveLength(pagesOf(pdf));
    expect(text).toContain('/Lang (pt-BR)');
    expect(text).toContain('(D:20261120150002Z)');
    expect((await eticketPdf(receipt)).equals(pdf)).toBe(true);
  });
});
