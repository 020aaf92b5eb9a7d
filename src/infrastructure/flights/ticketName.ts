/**
 * Letters that do not come apart into a basic one and marks, as machine-readable travel documents write them (ICAO Doc
 * 9303-3, section 6.A).
 */
const plainLetters: Readonly<Record<string, string>> = {
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

const writtenName = /^'?[A-Z]+(?:[ '-]{1,3}[A-Z]+)*'?$/;

/**
 * A name as tickets have it: A to Z, with the spaces, hyphens and apostrophes of the original; "JOAO D'AVILA" of
 * "João d’Ávila". Null for anything else: names in other scripts too, because how they are written in Latin letters is
 * decided by whoever issued the passport, and must be copied from it.
 */
export function ticketName(name: string): string | null {
  const letters = name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toUpperCase();
  const written = Array.from(letters, (letter) => plainLetters[letter] ?? letter).join('');
  return writtenName.test(written) ? written : null;
}

/** The plain letters for one that does not come apart, in its case: "l" of "ł"; anything else as it is. */
export function plainLetter(letter: string): string {
  const capital = letter.toUpperCase();
  const plain = plainLetters[capital] ?? capital;
  return letter === capital ? plain : plain.toLowerCase();
}
