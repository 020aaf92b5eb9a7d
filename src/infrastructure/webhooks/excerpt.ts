/** Longest excerpt of a reply kept in the attempt log, in bytes of UTF-8. */
export const excerptLimitBytes = 4_096;

/** Controls other than tab and line feed, and the marks that reverse, break or hide text on a page. */
const unsafe = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** ASCII that is shown as it is: what most replies are, and a decoder of its own costs more than all else here. */
const plain = /^[\t\n\x20-\x7e]*$/;

/**
 * Text that may be stored and shown, from the first bytes of a reply's body. A compressed body is named, not
 * decoded: 4 KiB of it could unfold into gigabytes.
 */
export function safeExcerpt(bytes: Buffer, contentEncoding: string): string {
  if (bytes.length === 0) return '';
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding !== '' && encoding !== 'identity') return '(compressed body, not decoded)';
  const ascii = bytes.toString('latin1', 0, excerptLimitBytes);
  if (bytes.length <= excerptLimitBytes && plain.test(ascii)) return ascii;
  // Streaming leaves out a character that the limit cut in half.
  const text = new TextDecoder().decode(bytes, { stream: true });
  return truncate(text.replace(/\r\n?/g, '\n').replace(unsafe, ''));
}

function truncate(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= excerptLimitBytes) return text;
  let end = excerptLimitBytes;
  // Bytes 10xxxxxx continue a character: step back to where it began, so that none is cut in half.
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
