import { PNG } from 'pngjs';

/** Of the images that have letters of dots: pixels of a dot, dots of a letter, and what is between two letters. */
const dotPixels = 8;
const letterHeight = 7;
const letterStep = 6;

/** How many letters each line of an image has, from top to bottom; what stands above letters is no line. */
export function lineLengths(png: Buffer): number[] {
  const { data, width, height } = PNG.sync.read(png);
  const isDark = (column: number, row: number) => data[(row * width + column) * dotPixels * 4] === 0;
  const columns = Array.from({ length: width / dotPixels }, (_, column) => column);
  const lengths: number[] = [];
  let line: number[][] = [];
  for (let row = 0; row <= height / dotPixels; row += 1) {
    const dark = row < height / dotPixels ? columns.filter((column) => isDark(column, row)) : [];
    if (dark.length > 0) line.push(dark);
    else {
      const dots = line.flat();
      const letters = (Math.max(...dots) - Math.min(...dots) + 2) / letterStep;
      if (line.length === letterHeight) lengths.push(letters);
      line = [];
    }
  }
  return lengths;
}
