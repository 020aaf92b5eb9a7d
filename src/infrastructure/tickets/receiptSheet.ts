import { create } from 'qrcode';
import {
  a4Document,
  mm,
  type PdfDocument,
  pageHeightMm,
  pageWidthMm,
  pointsPerMm,
  warningColour,
} from '../pdf.ts';
import { printableText } from '../text/printableText.ts';

const marginMm = 15;
const footerMm = 12;
const bottomMm = pageHeightMm - marginMm - footerMm;
export const sheetWidthMm = pageWidthMm - 2 * marginMm;
const cellPaddingMm = 1.5;
const lineGapPoints = 1;
/** Of what is beside the point. */
export const grey = '#5a6572';

export interface Line {
  readonly text: string;
  readonly points: number;
  readonly bold?: boolean;
  readonly colour?: string;
  readonly align?: 'left' | 'right' | 'center';
}

/** Lines under each other, each wrapped where the width asks for it. */
export interface Cell {
  readonly widthMm: number;
  readonly lines: readonly Line[];
}

export interface RowStyle {
  readonly fill?: string;
  readonly ruleBelow?: boolean;
  /** Height that the row has at least, and to which its fill reaches. */
  readonly leastHeightMm?: number;
}

export interface SheetOptions {
  readonly title: string;
  readonly createdAt: Date;
  /** Large and slanted behind each page; null for none. */
  readonly watermark: string | null;
  /** At the foot of each page, before its number. */
  readonly footer: string;
}

/**
 * A4 pages that fill from top to bottom with rows of cells. A row is as high as its tallest cell and is never parted;
 * one that does not fit goes to the next page, so nothing is ever drawn over anything else.
 */
export class ReceiptSheet {
  readonly #doc: PdfDocument;
  readonly #options: SheetOptions;
  readonly #finished: Promise<Buffer>;
  #topMm = marginMm;

  constructor(options: SheetOptions) {
    this.#options = options;
    const { title, createdAt } = options;
    const { doc, finished } = a4Document(
      { title, subject: 'Recibo de bilhete eletrônico', createdAt },
      { autoFirstPage: false, bufferPages: true },
    );
    this.#doc = doc;
    this.#finished = finished;
    this.#addPage();
  }

  /** Draws a row below what there is. */
  row(cells: readonly Cell[], style: RowStyle = {}): void {
    const heightMm = this.heightMm(cells, style);
    this.keepMm(heightMm);
    const doc = this.#doc;
    if (style.fill) {
      doc.rect(mm(marginMm), mm(this.#topMm), mm(sheetWidthMm), mm(heightMm)).fill(style.fill);
    }
    let leftMm = marginMm;
    for (const cell of cells) {
      this.#writeCell(cell, leftMm);
      leftMm += cell.widthMm;
    }
    this.#topMm += heightMm;
    if (style.ruleBelow) this.#rule();
  }

  heightMm(cells: readonly Cell[], { leastHeightMm = 0 }: RowStyle = {}): number {
    const heights = cells.map((cell) =>
      cell.lines.reduce((sum, line) => sum + this.#linePoints(line, cell.widthMm), 0),
    );
    return Math.max(leastHeightMm, Math.max(...heights) / pointsPerMm + 2 * cellPaddingMm);
  }

  /** Begins a new page unless so much room is left on this one; returns whether it did. */
  keepMm(heightMm: number): boolean {
    const begins = this.#topMm + heightMm > bottomMm;
    if (begins) this.#addPage();
    return begins;
  }

  /** White below what there is. */
  space(heightMm: number): void {
    this.#topMm += heightMm;
  }

  /** A QR code as vectors, its upper right corner at that of the row that comes next. */
  qrCode(text: string, sizeMm: number): void {
    const { modules } = create(text, { errorCorrectionLevel: 'M' });
    const moduleMm = sizeMm / modules.size;
    const leftMm = marginMm + sheetWidthMm - sizeMm;
    for (let row = 0; row < modules.size; row += 1) {
      for (let column = 0; column < modules.size; column += 1) {
        if (!modules.get(row, column)) continue;
        this.#doc.rect(
          mm(leftMm + column * moduleMm),
          mm(this.#topMm + row * moduleMm),
          mm(moduleMm),
          mm(moduleMm),
        );
      }
    }
    this.#doc.fill('black');
  }

  /** Numbers the pages and closes the document. */
  finish(): Promise<Buffer> {
    const { count } = this.#doc.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.#doc.switchToPage(page);
      this.#topMm = pageHeightMm - marginMm - footerMm + 4;
      this.#rule();
      const style = { points: 7.5, colour: grey } as const;
      const number: Line = { ...style, text: `Página ${page + 1} de ${count}`, align: 'right' };
      this.#writeCell(
        { widthMm: sheetWidthMm - 30, lines: [{ ...style, text: this.#options.footer }] },
        marginMm,
      );
      this.#writeCell({ widthMm: 30, lines: [number] }, marginMm + sheetWidthMm - 30);
    }
    this.#doc.end();
    return this.#finished;
  }

  #addPage(): void {
    this.#doc.addPage();
    this.#topMm = marginMm;
    const { watermark } = this.#options;
    if (watermark === null) return;
    const doc = this.#doc.save();
    doc.rotate(-52, { origin: [mm(pageWidthMm / 2), mm(pageHeightMm / 2)] });
    doc.font('Helvetica-Bold').fontSize(34).fillColor(warningColour).fillOpacity(0.13);
    const line = printableText(watermark);
    const leftPoints = mm(pageWidthMm / 2) - doc.widthOfString(line) / 2;
    doc.text(line, leftPoints, mm(pageHeightMm / 2) - 17, { lineBreak: false });
    doc.restore().fillOpacity(1);
  }

  #rule(): void {
    const doc = this.#doc.lineWidth(0.5).strokeColor('#c4ccd4');
    doc
      .moveTo(mm(marginMm), mm(this.#topMm))
      .lineTo(mm(marginMm + sheetWidthMm), mm(this.#topMm))
      .stroke();
  }

  #useStyle({ points, bold = false, colour = 'black' }: Line): void {
    this.#doc
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(points)
      .fillColor(colour);
  }

  #linePoints(line: Line, widthMm: number): number {
    this.#useStyle(line);
    const width = mm(widthMm - 2 * cellPaddingMm);
    return this.#doc.heightOfString(printableText(line.text), { width, lineGap: lineGapPoints });
  }

  #writeCell(cell: Cell, leftMm: number): void {
    let topPoints = mm(this.#topMm + cellPaddingMm);
    for (const line of cell.lines) {
      const heightPoints = this.#linePoints(line, cell.widthMm);
      this.#doc.text(printableText(line.text), mm(leftMm + cellPaddingMm), topPoints, {
        width: mm(cell.widthMm - 2 * cellPaddingMm),
        align: line.align ?? 'left',
        lineGap: lineGapPoints,
      });
      topPoints += heightPoints;
    }
  }
}
