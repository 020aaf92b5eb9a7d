import {
  buildSchema,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLScalarType,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { valueWriter } from '../../rest/valueWriter.ts';
import { bodyOf } from '../../src/infrastructure/json/written.ts';

const schema = buildSchema(`
  directive @omitNull on FIELD
  scalar Anything
  enum Colour { red blue }
  type Place { code: String!, name: String }
  type Leg { id: ID!, from: Place!, to: Place, tags: [String!]!, colour: Colour, km: Float!, stops: Int }
  type Card { number: String! }
  type Cash { notes: Int! }
  union Payment = Card | Cash
  type Trip {
    id: ID!, note: String, paid: Boolean!, payment: Payment, legs: [Leg!]!, extra: Anything, colours: [Colour!]
  }
  type Query { trip: Trip, trips: [Trip!]!, count: Int! }
`);

function selectionsOf(document: string): SelectionSetNode {
  const [definition] = parse(document).definitions;
  if (definition?.kind !== 'OperationDefinition') throw new GraphQLError('no operation');
  return definition.selectionSet;
}

/** What a route with this selection of a root field answers, as its bytes say. */
function routeOf(document: string): (value: unknown) => { text: string; bytes: string | Buffer } {
  const [field] = selectionsOf(document).selections;
  if (field?.kind !== 'Field') throw new GraphQLError('no field');
  const type = schema.getQueryType()?.getFields()[field.name.value]?.type;
  if (!type) throw new GraphQLError('no such field');
  const writer = valueWriter({ type, selections: field.selectionSet, name: field.name.value });
  return (value) => {
    const bytes = bodyOf(value, writer);
    return { bytes, text: (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes).toString() };
  };
}

const write = (document: string, value: unknown) => routeOf(document)(value);

const whole = `{ trip {
  trip_id: id note paid
  payment { ... on Card { number } ... on Cash { notes } }
  legs { id from { code name } to { code } tags colour km stops }
  extra colours
} }`;

const place = { code: 'GRU', name: 'São Paulo–Guarulhos' };
const leg = { id: 'a', from: place, to: null, tags: ['x', 'y'], colour: 'red', km: 7663.25, stops: 0 };
const trip = {
  id: 't',
  note: null,
  paid: true,
  payment: { __typename: 'Cash', notes: 3 },
  legs: [leg],
  extra: { deep: [1, 'two', null, 'três €'] },
  colours: ['red', 'blue'],
};

describe('a value as a route writes it', () => {
  it('is the JSON of the selection, in its order and under its names', () => {
    const { text } = write(whole, { ...trip, secret: 'not selected' });
    expect(JSON.parse(text)).toEqual({
      trip_id: 't',
      note: null,
      paid: true,
      payment: { notes: 3 },
      legs: [{ ...leg, to: null }],
      extra: trip.extra,
      colours: ['red', 'blue'],
    });
    expect(text).toMatch(
      /^\{"trip_id":"t","note":null,"paid":true,"payment":\{"notes":3\},"legs":\[\{"id":"a"/,
    );
    const card = { ...trip, payment: { __typename: 'Card', number: '4111' } };
    expect(JSON.parse(write(whole, card).text).payment).toEqual({ number: '4111' });
  });

  it.each([
    'plain',
    '',
    'say "hi"',
    'back\\slash',
    'line\nfeed\ttab \u0000 \u001f \u007f',
    'unit \u001f',
    'São Paulo – Zürich €',
    'São Paulo',
    '漢字 \u{1f6eb} \u2028',
    'half \ud83d of a pair',
  ])('holds %j as JSON.stringify does', (text) => {
    const answer = write('{ trip { id note legs { id } } }', { ...trip, id: text, note: text, legs: [] });
    expect(answer.text).toBe(JSON.stringify({ id: text, note: text, legs: [] }));
  });

  it('leaves marked members out when they are null, and no others', () => {
    const document =
      '{ trip { id note @omitNull payment @omitNull { ... on Card { number } ... on Cash { notes } } colours } }';
    expect(write(document, { id: '1', note: null, colours: null }).text).toBe('{"id":"1","colours":null}');
    expect(write(document, { id: '1', note: 'n', colours: [] }).text).toBe(
      '{"id":"1","note":"n","colours":[]}',
    );
    expect(write('{ trips { id note @omitNull paid } }', [{ id: '1', note: null, paid: false }]).text).toBe(
      '[{"id":"1","paid":false}]',
    );
  });

  it('is null or a plain value where the schema has one', () => {
    expect(write('{ trip { id } }', null).text).toBe('null');
    expect(write('{ count }', 7).text).toBe('7');
    expect(write('{ trips { id } }', []).text).toBe('[]');
  });

  it('is the same however long it is, and however often its parts stand in it', () => {
    const places = Array.from({ length: 90 }, (_, index) => ({
      code: `P${index}`,
      name: `Praça ${index} – “x”`,
    }));
    const trips = Array.from({ length: 120 }, (_, index) => ({
      ...trip,
      id: `trip ${index}`,
      legs: places.slice(index % 30).map((from, stops) => ({ ...leg, from, to: places[stops % 7], stops })),
    }));
    const { text, bytes } = write(
      '{ trips { id legs { id from { code name } to { code name } tags stops } extra } }',
      trips,
    );
    expect(Buffer.isBuffer(bytes)).toBe(true);
    const expected = trips.map(({ id, legs, extra }) => ({
      id,
      legs: legs.map(({ id: legId, from, to, tags, stops }) => ({ id: legId, from, to, tags, stops })),
      extra,
    }));
    expect(text).toBe(JSON.stringify(expected));
  });

  it('is whole at any length, and stays as it is while others are written', () => {
    const around = [8_192, 65_536, 262_144, 4_194_304, 5_000_000, 262_144, 65_536, 8_192, 40];
    const lengths = around.flatMap((length) => [-1, 0, 1].map((more) => length + more));
    const written = lengths.map((length, index) => {
      // Characters of two and three bytes stand at each border.
      const ending = index % 2 ? 'é€' : '“x”';
      const fill = length - Buffer.byteLength(JSON.stringify({ id: ending }));
      const value = { id: String(index % 10).repeat(fill) + ending };
      return { length, value, ...write('{ trip { id } }', value) };
    });
    for (const { length, value, bytes } of written) {
      const body = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
      expect(body.length).toBe(length);
      expect(body.equals(Buffer.from(JSON.stringify(value)))).toBe(true);
    }
  });

  it('repeats nothing of the body before', () => {
    const route = routeOf('{ trips { id legs { id from { code name } to { code name } } } }');
    const tripTo = (id: string, from: object) => ({ id, legs: [{ id, from, to: place }] });
    const bodies = ['a', 'a longer one', 'b'].map((id) => [tripTo(id, { code: id, name: null })]);
    for (const trips of bodies) expect(route(trips).text).toBe(JSON.stringify(trips));
  });

  it('writes a part that objects share once, and its other members in their places', () => {
    const key = Symbol('part');
    const type = schema.getType('Leg') as GraphQLObjectType;
    type.extensions = { sharedPart: { key, besides: ['id', 'km', 'stops'] } };
    let reads = 0;
    const parts = Array.from({ length: 80 }, (_, index) => ({
      get from() {
        reads += 1;
        return { code: `P${index}`, name: `São “${index}”` };
      },
      to: index % 2 ? place : null,
      tags: [`tag ${index}`],
      colour: index % 3 ? 'red' : null,
    }));
    const legs = Array.from({ length: 400 }, (_, index) => {
      const part = parts[index % parts.length]!;
      const own = { id: `leg ${index}`, km: index / 4, stops: index };
      return Object.defineProperties({ ...own, [key]: part }, Object.getOwnPropertyDescriptors(part));
    });
    const unshared = { ...leg, from: { code: 'GRU', name: null } };
    const document =
      '{ trip { id legs { id from { code name } km to @omitNull { name } tags colour @omitNull stops } } }';
    try {
      const all = [...legs, unshared, { ...unshared, tags: ['its own'] }];
      const { text } = write(document, { id: 't', legs: all });
      expect(reads).toBe(parts.length);
      const expected = all.map((one) => {
        const { id, from, km, to, tags, colour, stops } = one as Record<string, unknown>;
        const named = to ? { to: { name: place.name } } : {};
        return { id, from, km, ...named, tags, ...(colour ? { colour } : {}), stops };
      });
      expect(text).toBe(JSON.stringify({ id: 't', legs: expected }));
    } finally {
      type.extensions = {};
    }
  });

  it.each<[string, string, unknown, RegExp]>([
    ['a required member is missing', '{ trip { id paid } }', { id: '1' }, /Trip\.paid must not be null/],
    ['a required list is', '{ trips { id } }', null, /trips must not be null/],
    ['a list is none', '{ trips { id } }', { id: '1' }, /no list/],
    ['an element is null', '{ trips { id } }', [null], /trips\[\] must not be null/],
    ['an enum has no such value', '{ trip { id colours } }', { id: '1', colours: ['green'] }, /no Colour/],
    ['a number is none', '{ count }', 'seven', /Int/],
    [
      'a union has no such member',
      '{ trip { id payment { ... on Card { number } ... on Cash { notes } } } }',
      { id: '1', payment: { __typename: 'Cheque' } },
      /Cheque/,
    ],
  ])('is refused when %s', (_what, document, value, message) => {
    expect(() => write(document, value)).toThrow(message);
  });

  it.each<[string, string, RegExp]>([
    ['fragments', '{ trip { ... on Trip { id } } }', /fragments/],
    ['other directives', '{ trip { id note @skip(if: true) } }', /@skip/],
    ['a name twice', '{ trip { id id: note } }', /twice/],
    ['a first member that may be left out', '{ trip { note @omitNull id } }', /first member/],
    ['a union in part', '{ trip { id payment { ... on Card { number } } } }', /no Cash selected/],
  ])('cannot be compiled from a selection with %s', (_what, document, message) => {
    expect(() => write(document, trip)).toThrow(message);
  });

  it('cannot be compiled from fields with resolvers of their own', () => {
    const field = schema.getQueryType()?.getFields().trip;
    const place = (
      schema.getType('Place') as unknown as { getFields(): Record<string, { resolve?: unknown }> }
    ).getFields();
    expect(field).toBeDefined();
    place.name!.resolve = () => 'elsewhere';
    try {
      expect(() => write('{ trip { id legs { from { code name } } } }', trip)).toThrow(
        /Place\.name is not a plain/,
      );
    } finally {
      delete place.name!.resolve;
    }
  });

  it('asks scalars for their own form', () => {
    expect(write('{ trip { id } }', { id: 7 }).text).toBe('{"id":"7"}');
    const anything = schema.getType('Anything') as GraphQLScalarType;
    const { serialize } = anything;
    anything.serialize = (value) => `<${String(value)}>`;
    try {
      expect(write('{ trip { id extra } }', { id: '1', extra: 'x' }).text).toBe('{"id":"1","extra":"<x>"}');
      Object.assign(anything, { extensions: { openapi: { type: 'string' } }, serialize: () => 7 });
      expect(() => write('{ trip { id extra } }', { id: '1', extra: 'x' })).toThrow(/Trip\.extra is no text/);
    } finally {
      Object.assign(anything, { extensions: {}, serialize });
    }
  });
});
