import { plainLetters } from '../text/plainLetters.ts';

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
