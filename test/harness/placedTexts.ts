import PDFDocument from 'pdfkit';
import { pdfContent, pdfTexts } from './pdfContent.ts';

/** A line of text on a page, and the space that its letters take, in points from the lower left corner. */
export interface PlacedText {
  readonly page: number;
  readonly text: string;
  readonly points: number;
  readonly bold: boolean;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

const textOperation = /1 0 0 1 (-?[\d.]+) (-?[\d.]+) Tm\n\/F(\d) ([\d.]+) Tf\n\[[^\]]*\] TJ/;
/** What every page begins with; texts have the same inside a saved state. */
const pageStart = /(?<!q\n)^1 0 0 -1 0 841\.89 cm$/m;

/** The texts of a PDF of ours in the two weights of Helvetica, with their places. */
export function placedTexts(pdf: Buffer): PlacedText[] {
  const texts = pdfTexts(pdf);
  const ruler = new PDFDocument();
  const [, ...pages] = pdfContent(pdf).split(pageStart);
  return pages.flatMap((content, page) =>
    Array.from(content.matchAll(new RegExp(textOperation, 'g')), ([, x, y, font, size]) => {
      const text = texts.shift()!;
      const points = Number(size);
      const bold = font !== '1';
      ruler.font(bold ? 'Helvetica-Bold' : 'Helvetica').fontSize(points);
      const [left, baseline] = [Number(x), Number(y)];
      return {
        page: page + 1,
        text,
        points,
        bold,
        left,
        right: left + ruler.widthOfString(text.trimEnd()),
        bottom: baseline - 0.2 * points,
        top: baseline + 0.7 * points,
      };
    }),
  );
}

/** Pairs of texts that lie on each other. */
export function overlaps(texts: readonly PlacedText[]): [string, string][] {
  return texts.flatMap((one, index) =>
    texts
      .slice(index + 1)
      .filter(
        (other) =>
          other.page === one.page &&
          one.left < other.right &&
          other.left < one.right &&
          one.bottom < other.top &&
          other.bottom < one.top,
      )
      .map((other): [string, string] => [one.text, other.text]),
  );
}
