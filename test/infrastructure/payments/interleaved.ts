import type { Bar } from '../../../src/infrastructure/payments/boletoBars.ts';

/** Narrow and wide elements of each digit, from the symbology's definition (ISO/IEC 16390). */
const patterns = ['nnwwn', 'wnnnw', 'nwnnw', 'wwnnn', 'nnwnw', 'wnwnn', 'nwwnn', 'nnnww', 'wnnwn', 'nwnwn'];

function digitOf(elements: string[]): string {
  const digit = patterns.indexOf(elements.join(''));
  if (digit < 0) throw new Error(`No digit has the elements ${elements.join('')}`);
  return String(digit);
}

/** The digits that bars say, read the way a scanner does; bars one module wide are narrow, three are wide. */
export function readInterleaved(bars: readonly Bar[]): string {
  const elements: string[] = [];
  bars.forEach((bar, index) => {
    const previous = bars[index - 1];
    if (previous) elements.push(sizeOf(bar.start - previous.start - previous.width));
    elements.push(sizeOf(bar.width));
  });
  if (elements.slice(0, 4).join('') !== 'nnnn') throw new Error('No start pattern');
  if (elements.slice(-3).join('') !== 'wnn') throw new Error('No stop pattern');
  let digits = '';
  const data = elements.slice(4, -3);
  for (let at = 0; at < data.length; at += 10) {
    const pair = data.slice(at, at + 10);
    digits +=
      digitOf(pair.filter((_, index) => index % 2 === 0)) +
      digitOf(pair.filter((_, index) => index % 2 === 1));
  }
  return digits;
}

function sizeOf(modules: number): string {
  if (Math.abs(modules - 1) < 0.05) return 'n';
  if (Math.abs(modules - 3) < 0.05) return 'w';
  throw new Error(`An element is ${modules} modules wide`);
}
