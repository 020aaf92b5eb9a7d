/** Text shorter than this is cheaper to join than to copy. */
const settledLength = 8_192;

const plainText = /^[ !#-[\]-~]*$/;

/**
 * The body of a response while it is written. `text` is what was written last: UTF-8, one byte in each character, which
 * makes it half as large as text with characters beyond Latin-1, and its bytes a plain copy.
 */
export class BodyText {
  text = '';
  /** See SharedTexts: one for each member that may be shared. */
  readonly shared: SharedTexts[] = [];
  #bytes: Buffer | null = null;
  #length = 0;
  readonly #expectedLength: number;

  /** @param expectedLength bytes that it will have, roughly. */
  constructor(expectedLength = 0) {
    this.#expectedLength = expectedLength;
  }

  /** Moves `text` to where its bytes stay, once it is long: called between the elements of lists. */
  settle(): void {
    if (this.text.length >= settledLength) this.#move();
  }

  /** All that was written: a short one as text of the encoding latin1, a long one as bytes. */
  finish(): string | Buffer {
    if (!this.#bytes) return this.text;
    return this.#move().subarray(0, this.#length);
  }

  #move(): Buffer {
    const length = this.#length + this.text.length;
    let bytes = this.#bytes;
    if (!bytes || bytes.length < length) {
      bytes = Buffer.allocUnsafeSlow(Math.max(this.#expectedLength, 2 * length));
      this.#bytes?.copy(bytes, 0, 0, this.#length);
      this.#bytes = bytes;
    }
    bytes.write(this.text, this.#length, 'latin1');
    this.#length = length;
    this.text = '';
    return bytes;
  }
}

/** So many values without one that stood twice, and the rest is not expected to. */
const differentValues = 32;

/** The texts of a member's values: an object that stands several times in a body is written once and then repeated. */
export class SharedTexts {
  readonly #texts = new Map<unknown, string>();
  #isShared = false;

  write(body: BodyText, value: unknown, write: (body: BodyText, value: unknown) => void): void {
    const known = this.#texts.get(value);
    if (known !== undefined) {
      this.#isShared = true;
      body.text += known;
    } else if (this.#isShared || this.#texts.size < differentValues) {
      const before = body.text;
      body.text = '';
      write(body, value);
      this.#texts.set(value, body.text);
      body.text = before + body.text;
    } else write(body, value);
  }
}

/** A string as JSON, in the form of BodyText. */
export function quoted(text: string): string {
  return plainText.test(text) ? `"${text}"` : jsonText(text);
}

/** Any JSON value, in the form of BodyText. */
export function jsonText(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('latin1');
}
