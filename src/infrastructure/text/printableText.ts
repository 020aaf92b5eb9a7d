import { plainLetter } from './plainLetters.ts';

const beyondLatin1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';

function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff) || beyondLatin1.includes(character);
}

function nearestPrintable(character: string): string {
  if (isPrintable(character)) return character;
  if (/[\s\p{Cc}]/u.test(character)) return ' ';
  // Compatibility forms come apart into plain ones: a hyphen that does not break, letters of full width, "№".
  const parts = Array.from(character.normalize('NFKD').replace(/\p{Mn}/gu, ''));
  const plain = parts.map((part) => (isPrintable(part) ? part : plainLetter(part))).join('');
  return plain.trim() !== '' && Array.from(plain).every(isPrintable) ? plain : '?';
}

/**
 * Text that a PDF's standard fonts can show (Windows-1252). What they lack loses its accent, gives way to plain letters
 * or becomes a question mark: pdfkit would write it as broken bytes. What nobody sees, such as a mark of direction, is
 * left out.
 */
export function printableText(text: string): string {
  return Array.from(text.normalize('NFC').replace(/[\p{Mn}\p{Cf}]/gu, ''), nearestPrintable).join('');
}
