/** Longest name of a team or a key, in UTF-16 code units. */
const longest = 120;

/** Whether text can name a team or a key: something to read, on one line, in whole characters. */
export function isName(text: string): boolean {
  return text.trim().length > 0 && text.length <= longest && !/[\p{Cc}\p{Cs}]/u.test(text);
}
