/** Text shorter than this is cheaper to join than to copy. */
const settledLength = 8_192;

/** Text that stands in JSON as it is. */
export const plainText = /^[ !#-[\]-~]*$/;

/**
 * The body of a response while it is written. `text` is what was written last: UTF-8, one byte in each character, which
 * makes it half as large as text with characters beyond Latin-1, and its bytes a plain copy.
 */
export class BodyText {
  text = '';
  readonly shared = new SharedTexts();
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

interface SharedText {
  text: string;
  /** Whether it is in one piece: the pieces of a text that is repeated would be gone through each time. */
  isJoined: boolean;
}

/** Values of one member of objects, such as the destination of flights. */
class MemberTexts {
  readonly #texts = new Map<unknown, SharedText>();
  #isShared = false;

  find(value: unknown): string | undefined {
    const known = this.#texts.get(value);
    if (!known) return undefined;
    this.#isShared = true;
    if (!known.isJoined) {
      known.text = Buffer.from(known.text, 'latin1').toString('latin1');
      known.isJoined = true;
    }
    return known.text;
  }

  keep(value: unknown, text: string): void {
    this.#texts.set(value, { text, isJoined: false });
  }

  /** Keeps the text unless values of this member have not come back so far. */
  keepIfShared(value: unknown, text: string): void {
    if (this.#isShared || this.#texts.size < differentValues) this.keep(value, text);
  }
}

/** The texts of a body that may be repeated, by the number of their member. */
export class SharedTexts {
  readonly #members: MemberTexts[] = [];

  of(member: number): MemberTexts {
    this.#members[member] ??= new MemberTexts();
    return this.#members[member];
  }
}

/** A string as it stands between the quotes of JSON, in the form of BodyText. */
export function inQuotes(text: string): string {
  return plainText.test(text) ? text : jsonText(text).slice(1, -1);
}

/** Any JSON value, in the form of BodyText. */
export function jsonText(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('latin1');
}
