import fc from 'fast-check';
import { buildSchema, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { sizeRule } from '../../schema/door/documentSize.ts';

/** A field and what is selected within it, there or in a fragment. */
interface Selected {
  readonly fields: readonly Selected[];
  readonly isFragment: boolean;
}

const selectedWithin: fc.Memo<Selected> = fc.memo((levels) =>
  fc.record({
    fields: levels > 1 ? fc.array(selectedWithin(), { maxLength: 3 }) : fc.constant([]),
    isFragment: fc.boolean(),
  }),
);

const schema = buildSchema('type Query { a: Query b: Int }');

/** The document, whole or divided into fragments, one for each text that they may have. */
function documentOf(selected: Selected, isDivided: boolean): string {
  const names = new Map<string, string>();
  const textOf = ({ fields }: Selected): string => {
    if (fields.length === 0) return '{ b }';
    const texts = fields.map((field) => {
      const text = textOf(field);
      if (!isDivided || !field.isFragment) return `a ${text}`;
      const name = names.get(text) ?? `F${names.size}`;
      names.set(text, name);
      return `a { ...${name} }`;
    });
    return `{ ${texts.join(' ')} }`;
  };
  const operation = textOf(selected);
  return [operation, ...[...names].map(([text, name]) => `fragment ${name} on Query ${text}`)].join('\n');
}

/** The sizes that a document is found to have: no limit lets anything pass. */
function sizesOf(document: string): number[] {
  const errors = validate(schema, parse(document), [sizeRule({ depth: 0, cost: 0, introspectionDepth: 0 })]);
  return errors.map(({ message }) => Number(/found (.*)\.$/.exec(message)?.[1]));
}

/** By its definition. */
const depthOf = ({ fields }: Selected): number => 1 + Math.max(0, ...fields.map(depthOf));
const costOf = ({ fields }: Selected): number =>
  fields.length === 0 ? 1 : fields.reduce((sum, field) => sum + 2 + 1.5 * costOf(field), 0);

it('a document is of one size, however it is divided into fragments', () => {
  let divided = 0;
  fc.assert(
    fc.property(selectedWithin(7), (selected) => {
      const [whole, parts] = [documentOf(selected, false), documentOf(selected, true)];
      if (whole !== parts) divided += 1;
      expect(sizesOf(whole)).toEqual([depthOf(selected), costOf(selected)]);
      expect(sizesOf(parts)).toEqual(sizesOf(whole));
    }),
    { numRuns: 300 },
  );
  expect(divided).toBeGreaterThan(50);
});

it('thirty fragments that each spread the next one twice are measured at once, and told to be too large', () => {
  const count = 30;
  const fragments = Array.from(
    { length: count },
    (_, index) => `fragment F${index} on Query { a { ...F${index + 1} } c: a { ...F${index + 1} } }`,
  );
  const document = `{ ...F0 } ${fragments.join(' ')} fragment F${count} on Query { b }`;
  const [depth, cost] = sizesOf(document);
  expect(depth).toBe(count + 1);
  expect(cost).toBeGreaterThan(2 ** count);
});
