/**
 * The beginning and the end of a text that is too long to be kept, and how much is missing between them: of what others say,
 * how it begins says most, and of an error's stack where it came from stands last. What a cut goes through is left out up to
 * where it begins or ends, so that what is looked for in a text, such as a key, is there whole or not at all.
 * @param longest in UTF-16 code units; what is left out is told in some more.
 */
export function bothEnds(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  const beginning = text.slice(0, half).replace(wordAtEnd, '');
  const end = text.slice(-half).replace(wordAtBeginning, '');
  return `${beginning}[… ${text.length - beginning.length - end.length} characters …]${end}`;
}

const wordAtBeginning = /^[\w.+/=-]+/;
/** Longer words begin with what tells what they are, so that only short ones, such as a CPF, need be left out. */
const wordAtEnd = /[\w.+/=-]{1,20}$/;
