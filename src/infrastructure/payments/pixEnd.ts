import { crc32, deflateSync } from 'node:zlib';

/** Five dots by seven; a tilde stands in the three rows above. */
const letters: Readonly<Record<string, string>> = {
  A: '.###. #...# #...# ##### #...# #...# #...#',
  C: '.#### #.... #.... #.... #.... #.... .####',
  D: '####. #...# #...# #...# #...# #...# ####.',
  E: '##### #.... #.... ####. #.... #.... #####',
  G: '.#### #.... #.... #..## #...# #...# .####',
  I: '.###. ..#.. ..#.. ..#.. ..#.. ..#.. .###.',
  L: '#.... #.... #.... #.... #.... #.... #####',
  N: '#...# ##..# ##..# #.#.# #..## #..## #...#',
  O: '.###. #...# #...# #...# #...# #...# .###.',
  P: '####. #...# #...# ####. #.... #.... #....',
  R: '####. #...# #...# ####. #.#.. #..#. #...#',
  S: '.#### #.... #.... .###. ....# ....# ####.',
  U: '#...# #...# #...# #...# #...# #...# .###.',
  V: '#...# #...# #...# #...# #...# .#.#. ..#..',
  X: '#...# #...# .#.#. ..#.. .#.#. #...# #...#',
};
const tilde = '.##.# #..#. .....';
const above = 3;
const letterWidth = 5;
const letterHeight = 7;

/** The lines that tell what has become of the charge. */
const words = {
  completed: ['PIX', 'PAGO'],
  expired: ['PIX', 'VENCIDO', 'NÃO PAGUE'],
  cancelled: ['PIX', 'CANCELADO', 'NÃO PAGUE'],
  failed: ['PIX', 'RECUSADO', 'NÃO PAGUE'],
};

/** About the size of the QR image in whose place it stands: nine letters a line, and a margin. */
const side = 61;
const lineHeight = 14;

/** The dots of a line, from the top of its tildes. */
function lineDots(text: string): string[] {
  const glyphs = [...text].map((character) => {
    const [letter = '', mark] = character.normalize('NFD');
    const blank = '.'.repeat(letterWidth);
    const head = mark ? tilde : Array(above).fill(blank).join(' ');
    return `${head} ${letters[letter] ?? Array(letterHeight).fill(blank).join(' ')}`.split(' ');
  });
  return Array.from({ length: above + letterHeight }, (_, row) =>
    glyphs.map((glyph) => glyph[row]).join('.'),
  );
}

/** The dots of a square with these lines in its middle, each row as long as the side. */
function squareDots(lines: readonly string[]): string[] {
  const rows: string[] = Array(side).fill('.'.repeat(side));
  const top = Math.floor((side - lines.length * lineHeight) / 2);
  for (const [index, line] of lines.entries()) {
    for (const [row, dots] of lineDots(line).entries()) {
      const left = Math.floor((side - dots.length) / 2);
      rows[top + index * lineHeight + row] = dots.padStart(left + dots.length, '.').padEnd(side, '.');
    }
  }
  return rows;
}

/** A part of a PNG file (ISO/IEC 15948): length, type, data and check. */
function chunk(type: string, data: Buffer): Buffer {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}

/** A dot is eight pixels wide and high: with one bit a pixel, a byte of each of eight rows. */
const dotPixels = 8;

/**
 * PNG that stands where the QR code of a charge was, once it is not to be paid any more: it says so to the payer, and has no
 * code that a bank app could read.
 */
export function pixEndImage(status: keyof typeof words): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side * dotPixels, 0);
  header.writeUInt32BE(side * dotPixels, 4);
  // One bit for each pixel, shades of grey.
  header.writeUInt8(1, 8);
  const rows = squareDots(words[status]).flatMap((dots) => {
    const row = Buffer.from([0, ...[...dots].map((dot) => (dot === '#' ? 0x00 : 0xff))]);
    return Array<Buffer>(dotPixels).fill(row);
  });
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
