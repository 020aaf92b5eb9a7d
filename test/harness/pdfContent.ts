import { inflateSync } from 'node:zlib';

/** What a PDF's pages draw: their content streams, inflated. */
export function pdfContent(pdf: Buffer): string {
  const text = pdf.toString('latin1');
  const streams: string[] = [];
  for (const match of text.matchAll(/<<([\s\S]*?)>>\s*stream\r?\n/g)) {
    const length = Number(/\/Length (\d+)/.exec(match[1] ?? '')?.[1]);
    const start = match.index + match[0].length;
    const bytes = pdf.subarray(start, start + length);
    streams.push((match[1]?.includes('FlateDecode') ? inflateSync(bytes) : bytes).toString('latin1'));
  }
  return streams.join('\n');
}

/** Windows-1252 from 0x80 to 0x9f; Node's own decoder takes those for control characters. */
const upperControls = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The strings shown on a PDF's pages, one for each text operator, decoded as Windows-1252. */
export function pdfTexts(pdf: Buffer): string[] {
  return Array.from(pdfContent(pdf).matchAll(/\[([^\]]*)\] TJ/g), ([, operands = '']) => {
    const hex = Array.from(operands.matchAll(/<([0-9a-f]*)>/g), ([, digits]) => digits).join('');
    const latin = Buffer.from(hex, 'hex').toString('latin1');
    return latin.replace(/[\x80-\x9f]/g, (character) => upperControls.charAt(character.charCodeAt(0) - 0x80));
  });
}

/** All words of a PDF in the order in which they were drawn, without line breaks. */
export const pdfWords = (pdf: Buffer): string => pdfTexts(pdf).join(' ').replace(/\s+/g, ' ').trim();

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The filled rectangles of a PDF's pages, in points. */
export function pdfFilledRectangles(pdf: Buffer): Rectangle[] {
  const number = '(-?[\\d.]+)';
  const rectangle = new RegExp(`^${number} ${number} ${number} ${number} re$`);
  const filled: Rectangle[] = [];
  let path: Rectangle[] = [];
  for (const operation of pdfContent(pdf).split('\n')) {
    const match = rectangle.exec(operation);
    if (match) {
      const [x = 0, y = 0, width = 0, height = 0] = match.slice(1).map(Number);
      path.push({ x, y, width, height });
    } else if (operation === 'f') {
      filled.push(...path);
      path = [];
    } else if (operation === 'S') {
      path = [];
    }
  }
  return filled;
}

/** Those of them that are as wide as high, such as the modules of a QR code. */
export const pdfSquares = (pdf: Buffer): Rectangle[] =>
  pdfFilledRectangles(pdf).filter(({ width, height }) => Math.abs(width - height) < 0.001);
