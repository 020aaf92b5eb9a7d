/** Longest name of a team or a key, in UTF-16 code units. */
const longest = 120;

/** Whether text can name a team or a key: something to read, on one line, in whole characters. */
export function isName(text: string): boolean {
  // Joiners, marks without a letter and the like show nothing.
  const shows = /[^\p{C}\p{Z}\p{M}]/u.test(text);
  return shows && text.length <= longest && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
}
