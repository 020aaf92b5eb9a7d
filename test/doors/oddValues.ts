import type { GraphQLInputType } from 'graphql';
import { getNullableType, isEnumType, isInputObjectType, isListType, isScalarType } from 'graphql';
import type { Json } from '../harness/client.ts';

/** Values that nobody means well with, or that were typed, cut or pasted wrongly. */

/** JSON that no value of JavaScript is written as. */
class RawJson {
  constructor(readonly text: string) {}
}

/** What is sent of a request in which there may be raw JSON. */
export function jsonOf(request: Json): string {
  const raw: string[] = [];
  const mark = (_name: string, value: unknown) =>
    value instanceof RawJson ? `raw JSON ${raw.push(value.text) - 1}` : value;
  return JSON.stringify(request, mark).replace(
    /"raw JSON (\d+)"/g,
    (_mark, index) => raw[Number(index)] ?? '',
  );
}

/** More characters than any text has that is kept, and no more than a URL or the request of a subscription may have. */
const tooMany = 5_000;

/** A text as it is, made longer wherever it may be: in each of its words, and in what stands between them. */
export function stretched(text: string): string[] {
  const places = [...text.matchAll(/[\p{L}\d]+|[^\p{L}\d]+/gu)];
  return places.map(({ 0: word, index }) => {
    const middle = index + Math.floor(word.length / 2);
    return text.slice(0, middle) + (text[middle] ?? '').repeat(tooMany) + text.slice(middle);
  });
}

/** Characters that do not belong in the middle of a text, as they are or at all. */
const oddCharacters = ['\0', '\ud800', '\u202e', '\n', '\u2028', '\u001b', '\ud83d\udeab'];

const oddWords = ['', '   ', '__proto__', '%00'];

/** Days and instants that calendars, time zones or databases do not have. */
const oddTimes = [
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
  '+275760-09-13',
  '2027-02-30',
  '2026-11-20T12:00:00',
  '2026-12-31T23:59:60Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '2026-11-20T12:00:00+99:99',
];

const oddNumbers: unknown[] = [
  -1,
  1.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  ...['-0', '1e400', '1E+2', '1.0'].map((text) => new RawJson(text)),
];

const others = [null, [], new RawJson('{"__proto__":{"constructor":1},"unknown":1}')];

/** No money, or more than there is. */
const oddAmounts = ['0.00', '9999999999.99', '-0.01', '0.001'];

function oddTexts(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  const inserted = oddCharacters.map((character) => text.slice(0, middle) + character + text.slice(middle));
  return [
    ...inserted,
    `\ufeff${text}`,
    ` ${text}\n`,
    ...oddWords,
    ...(/^\d{4}-/.test(text) ? oddTimes : []),
    ...(/^\d+\.\d\d$/.test(text) ? oddAmounts : []),
  ];
}

/** Whether there are only so many values. */
const isClosed = (type: GraphQLInputType): boolean =>
  isEnumType(type) || (isScalarType(type) && 'enum' in ((type.extensions.openapi ?? {}) as object));

/** More than any list of a request has, and so many bad ones that a refusal cannot name them all. */
const manyItems = 300;
const manyBadItems = 1_000;

/** Of its type, with nothing in any text. */
function emptied(value: Json): Json {
  if (typeof value === 'string') return '';
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, emptied(member)]));
}

/** What may be sent in place of a sound value of a type. */
export function oddValues(type: GraphQLInputType, sound: Json): unknown[] {
  const nullable = getNullableType(type);
  if (isListType(nullable))
    return [
      ...others,
      'text',
      1,
      [...sound, null],
      [sound],
      Array.from({ length: manyItems }, () => sound[0]),
      Array.from({ length: manyBadItems }, () => emptied(sound[0])),
    ];
  if (isInputObjectType(nullable)) return [...others, {}, 'text', 1, { ...sound, toString: 'text' }];
  if (isClosed(nullable)) return [...others, '', `${sound}\0`, 'constructor'];
  if (typeof sound === 'string') return [...others, 1, ...oddTexts(sound)];
  return [...others, ...oddNumbers, String(sound), 'text'];
}

/** A value as a query string or a path has it. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : jsonOf(value as Json));

/** Percent-encoded, halves of characters too: as bytes that are no UTF-8. */
export const encoded = (text: string): string =>
  Array.from(text, (character) =>
    /\p{Cs}/u.test(character) ? '%ED%A0%80' : encodeURIComponent(character),
  ).join('');
