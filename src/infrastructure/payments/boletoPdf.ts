import { a4Document, mm, type PdfDocument, pageHeightMm, pageWidthMm, warningColour } from '../pdf.ts';
import { printableText } from '../text/printableText.ts';
import { barsHeightMm, barsModules, barsWidthMm, boletoBars, quietZoneMm } from './boletoBars.ts';
import type { BoletoSlip, SlipBox } from './boletoSlip.ts';

const slipWidthMm = 180;
const leftMm = (pageWidthMm - slipWidthMm) / 2;
const receiptTopMm = 18;
/** FEBRABAN: the slip is the lowest part of the sheet, at most 108 mm high, with white under its bars. */
const slipTopMm = pageHeightMm - 108;
const headHeightMm = 8;
const rowHeightMm = 7;
const adjustmentHeightMm = 6.4;
const extraLineMm = 3.6;
const labelPoints = 5.5;
const valuePoints = 8.5;
const smallestValuePoints = 6;
/** Sizes for values with parts that are too long for a line, and how far their lines are apart. */
const wrappedSizes = [
  { points: smallestValuePoints, lineMm: 2.1 },
  { points: labelPoints, lineMm: 1.85 },
] as const;
const labelRoomMm = 3.1;
const paddingMm = 1;
const paidColour = '#1b6e2e';

interface TextStyle {
  points: number;
  bold?: boolean;
  align?: 'left' | 'right' | 'center';
  colour?: string;
}

function useFont(doc: PdfDocument, bold: boolean, points: number): void {
  doc.font(bold ? 'Helvetica-Bold' : 'Helvetica').fontSize(points);
}

/** One line of text whose top is at `topMm`, made smaller and then cut where it does not fit. */
function writeLine(
  doc: PdfDocument,
  text: string,
  xMm: number,
  topMm: number,
  widthMm: number,
  style: TextStyle,
) {
  const { bold = false, align = 'left', colour = 'black' } = style;
  const room = mm(widthMm);
  let line = printableText(text);
  let points = style.points;
  useFont(doc, bold, points);
  doc.fillColor(colour);
  while (points > smallestValuePoints && doc.widthOfString(line) > room) {
    points -= 0.5;
    doc.fontSize(points);
  }
  if (doc.widthOfString(line) > room) {
    while (line.length > 0 && doc.widthOfString(`${line}…`) > room) line = line.slice(0, -1);
    line = `${line}…`;
  }
  const spare = room - doc.widthOfString(line);
  const shift = align === 'right' ? spare : align === 'center' ? spare / 2 : 0;
  doc.text(line, mm(xMm) + shift, mm(topMm), { lineBreak: false });
}

function drawRule(doc: PdfDocument, fromMm: [number, number], toMm: [number, number], widthPoints = 0.5) {
  doc.lineWidth(widthPoints).strokeColor('black');
  doc.moveTo(mm(fromMm[0]), mm(fromMm[1])).lineTo(mm(toMm[0]), mm(toMm[1])).stroke();
}

function drawBox(doc: PdfDocument, box: SlipBox, xMm: number, topMm: number, heightMm: number) {
  doc.lineWidth(0.5).strokeColor('black').rect(mm(xMm), mm(topMm), mm(box.widthMm), mm(heightMm)).stroke();
  const widthMm = box.widthMm - 2 * paddingMm;
  writeLine(doc, box.label, xMm + paddingMm, topMm + 0.6, widthMm, { points: labelPoints });
  const { lines, points, lineMm } = valueLines(doc, box, heightMm - labelRoomMm);
  lines.forEach((line, index) => {
    writeLine(doc, line, xMm + paddingMm, topMm + labelRoomMm + index * lineMm, widthMm, {
      points,
      bold: box.strong ?? false,
      align: box.alignRight ? 'right' : 'left',
    });
  });
}

/**
 * A box's value, which what is too long for a line goes on in the next one: a tax id and a postal code stand at the end.
 * What has no room in the box even so is left to the last line, which is cut.
 */
function valueLines(doc: PdfDocument, { lines, widthMm, strong = false }: SlipBox, heightMm: number) {
  const room = mm(widthMm - 2 * paddingMm);
  const texts = lines.map(printableText);
  useFont(doc, strong, smallestValuePoints);
  if (texts.every((text) => doc.widthOfString(text) <= room))
    return { lines: texts, points: valuePoints, lineMm: extraLineMm };
  const tries = wrappedSizes.map((size) => {
    doc.fontSize(size.points);
    const wrapped = texts.flatMap((text) => wrappedLines(doc, text, room));
    return { ...size, lines: wrapped, most: Math.floor(heightMm / size.lineMm) };
  });
  const fitting = tries.find(({ lines: { length }, most }) => length <= most);
  if (fitting) return fitting;
  const { most, ...last } = tries.at(-1)!;
  return { ...last, lines: [...last.lines.slice(0, most - 1), last.lines.slice(most - 1).join(' ')] };
}

/** A text in lines that have room in the font of the moment, parted at spaces where there are any. */
function wrappedLines(doc: PdfDocument, text: string, room: number): string[] {
  const lines = [''];
  for (const word of text.split(/(?<= )/)) {
    if (doc.widthOfString(`${lines.at(-1)}${word.trimEnd()}`) > room && lines.at(-1) !== '') lines.push('');
    for (const letter of word) {
      if (letter !== ' ' && doc.widthOfString(`${lines.at(-1)}${letter}`) > room) lines.push('');
      lines[lines.length - 1] += letter;
    }
  }
  return lines.map((line) => line.trimEnd());
}

function rowHeight(boxes: readonly SlipBox[]): number {
  const lines = Math.max(1, ...boxes.map((box) => box.lines.length));
  return rowHeightMm + (lines - 1) * extraLineMm;
}

/** Draws rows of boxes one under the other; returns where the next may start, in mm. */
function drawRows(doc: PdfDocument, rows: readonly (readonly SlipBox[])[], topMm: number): number {
  let y = topMm;
  for (const boxes of rows) {
    const heightMm = rowHeight(boxes);
    let x = leftMm;
    for (const box of boxes) {
      drawBox(doc, box, x, y, heightMm);
      x += box.widthMm;
    }
    y += heightMm;
  }
  return y;
}

/** Bank, its code and the linha digitável, over a thick rule. */
function drawHead(doc: PdfDocument, slip: BoletoSlip, topMm: number, line: string): number {
  const bottomMm = topMm + headHeightMm;
  writeLine(doc, slip.bankName, leftMm, topMm + 1.9, 36, { points: 15, bold: true });
  writeLine(doc, slip.bankCode, leftMm + 38, topMm + 1.9, 20, { points: 15, bold: true, align: 'center' });
  writeLine(doc, line, leftMm + 60, topMm + 2.6, slipWidthMm - 60, {
    points: 12,
    bold: true,
    align: 'right',
  });
  for (const x of [leftMm + 37, leftMm + 59]) drawRule(doc, [x, topMm + 1], [x, bottomMm], 1);
  drawRule(doc, [leftMm, bottomMm], [leftMm + slipWidthMm, bottomMm], 1);
  return bottomMm;
}

/** Over the whole width, or side by side, since each has its colour. */
function drawMarks(doc: PdfDocument, slip: BoletoSlip, topMm: number) {
  const marks = [
    { text: slip.testMark, colour: warningColour },
    { text: slip.stateMark, colour: slip.state === 'paid' ? paidColour : warningColour },
  ].flatMap(({ text, colour }) => (text === null ? [] : { text, colour }));
  const widthMm = slipWidthMm / marks.length;
  for (const [index, { text, colour }] of marks.entries()) {
    const style = { points: 12, bold: true, align: 'center', colour } as const;
    writeLine(doc, text, leftMm + index * widthMm, topMm, widthMm, style);
  }
}

/** The test mark, large and slanted, behind one part of the sheet. */
function drawWatermark(doc: PdfDocument, mark: string, middleMm: number) {
  doc.save();
  doc.rotate(-18, { origin: [mm(pageWidthMm / 2), mm(middleMm)] }).fillOpacity(0.18);
  writeLine(doc, mark, leftMm, middleMm - 4, slipWidthMm, {
    points: 30,
    bold: true,
    align: 'center',
    colour: warningColour,
  });
  doc.restore();
}

function drawBars(doc: PdfDocument, barcode: string, xMm: number, topMm: number) {
  const moduleMm = barsWidthMm / barsModules;
  for (const bar of boletoBars(barcode)) {
    doc.rect(mm(xMm + bar.start * moduleMm), mm(topMm), mm(bar.width * moduleMm), mm(barsHeightMm));
  }
  doc.fill('black');
}

function drawReceipt(doc: PdfDocument, slip: BoletoSlip) {
  drawMarks(doc, slip, receiptTopMm - 8);
  const top = drawHead(doc, slip, receiptTopMm, 'RECIBO DO PAGADOR');
  const bottom = drawRows(doc, slip.receiptRows, top);
  writeLine(doc, slip.digitableLine, leftMm, bottom + 2, 110, { points: 9, bold: true });
  writeLine(doc, 'Autenticação mecânica', leftMm + 110, bottom + 2, 70, { points: 6.5, align: 'right' });
}

function drawCutLine(doc: PdfDocument, topMm: number) {
  doc.save().dash(3, { space: 3 });
  drawRule(doc, [leftMm, topMm], [leftMm + slipWidthMm, topMm]);
  doc.restore();
  writeLine(doc, 'Corte na linha pontilhada', leftMm, topMm - 3, slipWidthMm, { points: 6, align: 'right' });
}

function drawSlip(doc: PdfDocument, slip: BoletoSlip) {
  drawMarks(doc, slip, slipTopMm - 5);
  const top = drawHead(doc, slip, slipTopMm, slip.digitableLine);
  const middle = drawRows(doc, slip.slipRows, top);
  const rightMm = leftMm + slip.instructions.widthMm;
  drawBox(doc, slip.instructions, leftMm, middle, slip.adjustments.length * adjustmentHeightMm);
  slip.adjustments.forEach((box, index) => {
    drawBox(doc, box, rightMm, middle + index * adjustmentHeightMm, adjustmentHeightMm);
  });
  const bottom = drawRows(doc, [[slip.payer]], middle + slip.adjustments.length * adjustmentHeightMm);
  drawBars(doc, slip.barcode, leftMm + quietZoneMm, bottom + 2);
  writeLine(doc, 'Autenticação mecânica — FICHA DE COMPENSAÇÃO', leftMm + 115, bottom + 2, 65, {
    points: 6.5,
    bold: true,
    align: 'right',
  });
}

/** A4 PDF of a boleto: recibo do pagador above, ficha de compensação below. The same slip gives the same bytes. */
export function boletoPdf(slip: BoletoSlip): Promise<Buffer> {
  const { doc, finished } = a4Document({
    title: `Boleto ${slip.rechargeId}`,
    subject: 'Boleto de pagamento',
    createdAt: slip.createdAt,
  });
  if (slip.testMark) for (const middleMm of [46, 231]) drawWatermark(doc, slip.testMark, middleMm);
  drawReceipt(doc, slip);
  drawCutLine(doc, slipTopMm - 8);
  drawSlip(doc, slip);
  doc.end();
  return finished;
}
