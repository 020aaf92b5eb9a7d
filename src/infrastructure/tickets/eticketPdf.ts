import { warningColour } from '../pdf.ts';
import { formatBrazilianDate, formatReais, testMark } from '../text/brazilianText.ts';
import { airportText, placeText } from './placeNames.ts';
import type { ReceiptAirport, ReceiptSegment, ReceiptSlice, TicketReceipt } from './receipt.ts';
import { type Cell, grey, type Line, ReceiptSheet, sheetWidthMm } from './receiptSheet.ts';
import {
  bagsText,
  cabinText,
  conditionText,
  connectionText,
  dayText,
  durationText,
  maskedDocument,
  nameOnTicket,
  passengerTypeText,
  statusText,
  ticketNumbers,
  timeText,
  voidMark,
} from './receiptText.ts';

const brandColour = '#123a5e';
const headGround = '#e8eef4';
const softGround = '#f5f7f9';
const qrMm = 26;
const locatorMm = 54;
/** Letters for which a line of that width is surely long enough in the size of locators. */
const longestLarge = 6;

const notes =
  'Os horários são os locais de cada aeroporto. Apresente no embarque o documento de identificação original ' +
  'informado na reserva. Este recibo não é cartão de embarque.';

const small = (text: string): Line => ({ text, points: 7.5, colour: grey });
const plain = (text: string): Line => ({ text, points: 9 });
const strong = (text: string): Line => ({ text, points: 9, bold: true });

/**
 * The receipt of a booking's e-tickets: A4, in Portuguese, on as many pages as it takes. Documents show only their last
 * three characters. The same receipt gives the same bytes.
 */
export function eticketPdf(receipt: TicketReceipt): Promise<Buffer> {
  const sheet = new ReceiptSheet({
    title: `Bilhete eletrônico ${receipt.locator}`,
    createdAt: receipt.issuedAt ?? receipt.bookedAt,
    watermark: receipt.testMode ? testMark : null,
    footer: `Localizador ${receipt.locator} · ${receipt.agencyName}`,
  });
  drawHead(sheet, receipt);
  drawTravellers(sheet, receipt);
  drawSlices(sheet, receipt);
  drawPayment(sheet, receipt);
  return sheet.finish();
}

function drawHead(sheet: ReceiptSheet, receipt: TicketReceipt): void {
  if (receipt.link !== null) sheet.qrCode(receipt.link, qrMm);
  const mark = (text: string): Line => ({ text, points: 11, bold: true, colour: warningColour });
  const marks = [receipt.testMode ? testMark : null, voidMark(receipt)].filter((text) => text !== null);
  const codeMm = receipt.link === null ? 0 : qrMm + 2;
  const title: Cell = {
    widthMm: sheetWidthMm - locatorMm - codeMm,
    lines: [
      { text: 'Recibo de bilhete eletrônico', points: 16, bold: true, colour: brandColour },
      plain(receipt.agencyName),
      ...marks.map(mark),
    ],
  };
  sheet.row([title, { widthMm: locatorMm, lines: locatorLines(receipt) }], { leastHeightMm: qrMm + 2 });
  const facts: readonly [label: string, value: string][] = [
    ['Situação', statusText[receipt.status]],
    ['Reservado em', formatBrazilianDate(receipt.bookedAt)],
    ['Emitido em', receipt.issuedAt ? formatBrazilianDate(receipt.issuedAt) : 'não emitido'],
    ['Tarifa', receipt.fareBrandName],
  ];
  sheet.row(
    facts.map(([label, value]) => ({
      widthMm: sheetWidthMm / facts.length,
      lines: [small(label), strong(value)],
    })),
    { fill: softGround },
  );
}

/** The carrier's locator comes first and larger where it is known: an airline's check-in knows no other. */
function locatorLines({ locator, carrierReference }: TicketReceipt): Line[] {
  const named = (label: string, text: string, points: number): Line[] => [
    { ...small(label), align: 'center' },
    { text, points, bold: true, colour: brandColour, align: 'center' },
  ];
  if (carrierReference === null) return named('LOCALIZADOR', locator, 24);
  return [
    ...named(
      'LOCALIZADOR NA COMPANHIA AÉREA',
      carrierReference,
      carrierReference.length > longestLarge ? 13 : 24,
    ),
    ...named('LOCALIZADOR NA AGÊNCIA', locator, 13),
  ];
}

/** A heading, on the same page as what follows it. */
function drawHeading(sheet: ReceiptSheet, text: string, followingMm: number): void {
  const cells: Cell[] = [
    { widthMm: sheetWidthMm, lines: [{ text, points: 11, bold: true, colour: brandColour }] },
  ];
  sheet.space(4);
  sheet.keepMm(sheet.heightMm(cells) + followingMm);
  sheet.row(cells);
}

const travellerColumnsMm = [10, 70, 34, 33, 33] as const;

function drawTravellers(sheet: ReceiptSheet, { travellers, tickets }: TicketReceipt): void {
  const cellsOf = (columns: readonly (readonly Line[])[]): Cell[] =>
    columns.map((lines, index) => ({ widthMm: travellerColumnsMm[index]!, lines }));
  const head = cellsOf([
    [small('Nº')],
    [small('Passageiro e nome no bilhete')],
    [small('Tipo')],
    [small('Documento')],
    [small('Bilhete')],
  ]);
  const rows = travellers.map((traveller, index) =>
    cellsOf([
      [plain(String(index + 1))],
      [strong(`${traveller.givenName} ${traveller.familyName}`), small(nameOnTicket(traveller))],
      [plain(passengerTypeText(traveller, travellers))],
      [plain(maskedDocument(traveller))],
      ticketNumbers(traveller.id, tickets).map(strong),
    ]),
  );
  drawHeading(sheet, 'Passageiros', sheet.heightMm(head) + sheet.heightMm(rows[0] ?? head));
  sheet.row(head, { fill: headGround });
  for (const row of rows) sheet.row(row, { ruleBelow: true });
}

function drawSlices(sheet: ReceiptSheet, receipt: TicketReceipt): void {
  for (const [index, slice] of receipt.slices.entries()) {
    const head = sliceHead(slice, index + 1);
    const blocks = slice.segments.map((segment) => segmentRows(segment, receipt));
    const firstMm = sheet.heightMm(head) + heightOf(sheet, blocks[0]!);
    if (index === 0) drawHeading(sheet, 'Voos', firstMm);
    else sheet.space(2);
    sheet.keepMm(firstMm);
    sheet.row(head, { fill: headGround });
    for (const [position, block] of blocks.entries()) {
      const before = slice.segments[position - 1];
      const connection = before ? connectionRow(before, slice.segments[position]!) : [];
      const isContinued = sheet.keepMm(heightOf(sheet, [...connection, ...block]));
      if (isContinued) sheet.row(head, { fill: headGround });
      for (const row of connection) sheet.row(row, { fill: softGround });
      for (const [line, row] of block.entries()) sheet.row(row, { ruleBelow: line === block.length - 1 });
    }
  }
}

const heightOf = (sheet: ReceiptSheet, rows: readonly (readonly Cell[])[]) =>
  rows.reduce((sum, row) => sum + sheet.heightMm(row), 0);

function sliceHead(slice: ReceiptSlice, number: number): Cell[] {
  const { origin, destination, duration, segments } = slice;
  const text = `Trecho ${number}: ${placeText(origin.iataCode)} – ${placeText(destination.iataCode)}`;
  const stops = segments.length - 1;
  const stopsText = stops === 0 ? 'direto' : stops === 1 ? '1 conexão' : `${stops} conexões`;
  return [
    { widthMm: 130, lines: [strong(text)] },
    {
      widthMm: sheetWidthMm - 130,
      lines: [{ ...plain(`${durationText(duration)}, ${stopsText}`), align: 'right' }],
    },
  ];
}

const connectionRow = (before: ReceiptSegment, after: ReceiptSegment): Cell[][] => [
  [{ widthMm: sheetWidthMm, lines: [small(connectionText(before, after))] }],
];

function segmentRows(segment: ReceiptSegment, { travellers }: TicketReceipt): Cell[][] {
  const { marketingCarrier, operatingCarrier } = segment;
  const isShared = operatingCarrier.iataCode !== marketingCarrier.iataCode;
  const stop = (label: string, airport: ReceiptAirport, local: string): Cell => ({
    widthMm: 50,
    lines: [
      small(label),
      { text: timeText(local), points: 14, bold: true },
      plain(dayText(local)),
      strong(placeText(airport.iataCode)),
      small(airportText(airport.name)),
      ...(airport.terminal === null ? [] : [plain(`Terminal ${airport.terminal}`)]),
    ],
  });
  const flight: Cell = {
    widthMm: 40,
    lines: [
      small('Voo'),
      {
        text: `${marketingCarrier.iataCode} ${segment.marketingCarrierFlightNumber}`,
        points: 14,
        bold: true,
        colour: brandColour,
      },
      plain(marketingCarrier.name),
      ...(isShared ? [small(`Operado por ${operatingCarrier.name}`)] : []),
    ],
  };
  const details: Cell = {
    widthMm: 40,
    lines: [
      small('Classe'),
      plain(cabinText(segment, travellers)),
      small('Duração'),
      plain(durationText(segment.duration)),
      small('Aeronave'),
      plain(segment.aircraft.name),
    ],
  };
  const bags: Cell = {
    widthMm: sheetWidthMm,
    lines: [{ ...small(`Bagagem: ${bagsText(segment, travellers)}`), colour: 'black' }],
  };
  return [
    [
      flight,
      stop('Partida', segment.origin, segment.departingAt),
      stop('Chegada', segment.destination, segment.arrivingAt),
      details,
    ],
    [bags],
  ];
}

function drawPayment(sheet: ReceiptSheet, receipt: TicketReceipt): void {
  const { totalCents, refundCents, conditions } = receipt;
  const amount = (cents: bigint): Line => ({ ...strong(formatReais(cents)), points: 12 });
  const facts: [label: string, value: Line][] = [
    [receipt.isPaid ? 'Total pago' : 'Total', amount(totalCents)],
  ];
  if (refundCents !== null) facts.push(['Reembolsado', amount(refundCents)]);
  facts.push(
    ['Reembolso antes da partida', plain(conditionText(conditions.refundBeforeDeparture))],
    ['Alteração antes da partida', plain(conditionText(conditions.changeBeforeDeparture))],
  );
  const rows = facts.map(([label, value]): Cell[] => [
    { widthMm: 60, lines: [plain(label)] },
    { widthMm: sheetWidthMm - 60, lines: [value] },
  ]);
  const note: Cell[] = [{ widthMm: sheetWidthMm, lines: [small(notes)] }];
  drawHeading(sheet, 'Pagamento e condições', heightOf(sheet, [...rows, note]));
  for (const row of rows) sheet.row(row, { ruleBelow: true });
  sheet.row(note);
}
