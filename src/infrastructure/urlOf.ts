/**
 * The URL that a text is; null where it is none. `URL.canParse` does not say: once V8 has compiled it, some thousand calls
 * later, Node.js 20 takes letters from U+0080 to U+00FF for bytes of UTF-8. `https://agência.example` is none from then on,
 * and of what is none, some is one.
 */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
