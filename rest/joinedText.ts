import { plainText, type SharedTexts } from './bodyText.ts';

/**
 * The JSON text of a value, in the form of BodyText.
 * @throws Error for null where the schema has none, or a value that is not of its type.
 */
export type TextOf = (value: unknown, shared: SharedTexts) => string;

/** Compiled text of a type. */
export interface CompiledText {
  readonly textOf: TextOf;
  /** Whether quotes around it are still to come. */
  readonly isInQuotes: boolean;
  /** Whether text that needs no escapes stands for itself, so that `textOf` need not be asked. */
  readonly isVerbatim: boolean;
}

/**
 * One expression that joins constant text and members in turn, as in `'{"id":"' + id(value.id) + '","name":"' + …`. It
 * is made as source text: going through a list of members for each object takes half as long again. What is written
 * most, text without escapes, is written in place.
 */
export class JoinedText {
  readonly #terms: string[] = [];
  readonly #texts: TextOf[] = [];
  #constant = '';

  add(constant: string): void {
    this.#constant += constant;
  }

  /** @param argument source text of what the text is of: `value` or one of its members. */
  call(textOf: TextOf, argument: string): void {
    this.#close(`text${this.#texts.length}(${argument}, shared)`, textOf);
  }

  callUnlessVerbatim({ textOf, isInQuotes }: CompiledText, argument: string): void {
    const text = isInQuotes ? 'leaf' : `'"' + leaf + '"'`;
    const otherwise = `text${this.#texts.length}(leaf, shared)`;
    this.#close(
      `(typeof (leaf = ${argument}) === 'string' && plain.test(leaf) ? ${text} : ${otherwise})`,
      textOf,
    );
  }

  #close(term: string, textOf: TextOf): void {
    this.#terms.push(JSON.stringify(this.#constant), term);
    this.#texts.push(textOf);
    this.#constant = '';
  }

  compile(): TextOf {
    const terms = [...this.#terms, JSON.stringify(this.#constant)];
    const parameters = this.#texts.map((_, index) => `text${index}`);
    const source = `return (value, shared) => { let leaf; return ${terms.join(' + ')}; };`;
    return new Function('plain', ...parameters, source)(plainText, ...this.#texts) as TextOf;
  }
}

let sharedMembers = 0;

/** What objects have in common, such as the airports of flights, is written once in a body and then repeated. */
export function sharedText(makeText: TextOf): TextOf {
  const member = sharedMembers;
  sharedMembers += 1;
  return (value, shared) => {
    const texts = shared.of(member);
    const known = texts.find(value);
    if (known !== undefined) return known;
    const text = makeText(value, shared);
    texts.keepIfShared(value, text);
    return text;
  };
}

/** Members that objects have in common with those that have the same part, written once in a body and then repeated. */
export function partText(makeText: TextOf, key: symbol): TextOf {
  const member = sharedMembers;
  sharedMembers += 1;
  return (value, shared) => {
    const part = (value as Record<symbol, unknown>)[key];
    if (part === undefined) return makeText(value, shared);
    const texts = shared.of(member);
    const known = texts.find(part);
    if (known !== undefined) return known;
    const text = makeText(value, shared);
    texts.keep(part, text);
    return text;
  };
}
