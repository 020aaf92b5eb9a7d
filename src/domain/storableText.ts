/** Whether PostgreSQL gives a text back as it is: it takes no U+0000, and halves of characters are no UTF-8. */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Cs}/u.test(text);
