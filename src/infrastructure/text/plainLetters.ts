/**
 * Letters that do not come apart into a basic one and marks, as machine-readable travel documents write them (ICAO Doc
 * 9303-3, section 6.A).
 */
export const plainLetters: Readonly<Record<string, string>> = {
  Æ: 'AE',
  Ĳ: 'IJ',
  Œ: 'OE',
  Ø: 'OE',
  Þ: 'TH',
  ẞ: 'SS',
  Ð: 'D',
  Đ: 'D',
  Ł: 'L',
  Ħ: 'H',
  Ŋ: 'N',
  Ŧ: 'T',
  Ə: 'E',
  '’': "'",
  ʼ: "'",
  '‐': '-',
};

/** The plain letters for one that does not come apart, in its case: "l" of "ł"; anything else as it is. */
export function plainLetter(letter: string): string {
  const capital = letter.toUpperCase();
  const plain = plainLetters[capital] ?? capital;
  return letter === capital ? plain : plain.toLowerCase();
}
