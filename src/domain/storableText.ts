/** Whether PostgreSQL gives a text back as it is: it takes no U+0000, and halves of characters are no UTF-8. */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Cs}/u.test(text);

/** Longest text that somebody writes in words of their own, in UTF-16 code units. */
const longestRemark = 500;

/** What keeps such a text from being stored; null for nothing. */
export function faultOfRemark(text: string): 'too_long' | 'invalid' | null {
  if (text.length > longestRemark) return 'too_long';
  return isStorable(text) ? null : 'invalid';
}
