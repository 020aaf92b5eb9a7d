import { readFile } from 'node:fs/promises';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentLimits } from '../../schema/door/limits.ts';
import type { Json } from '../harness/client.ts';
import { describeOneEngine } from '../harness/engines.ts';
import { connectRawSocket } from '../harness/rawSocket.ts';
import type { TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const nested = (depth: number) => `{ ${'... on Query { '.repeat(depth)}__typename${' }'.repeat(depth)} }`;

const ofLists = (depth: number) =>
  `{ bookings(limit: ${'['.repeat(depth)}${']'.repeat(depth)}) { items { id } } }`;

/** A name that begins, and one that ends, with the word is none more. */
const nameOf = (index: number) => (index % 2 === 0 ? `fragment${index}` : `F${index}fragment`);

const manyFragments = (count: number) =>
  `{ ${repeat(count, (index) => `...${nameOf(index)}`)} } ${repeat(count, (index) => `fragment ${nameOf(index)} on Query { __typename }`)}`;

/** Documents just within each limit, and just beyond it. */
const documents: Record<string, { within: string; operationName?: string; beyond: string; says: RegExp }> = {
  depth: { within: nested(11), beyond: nested(12), says: /depth/i },
  'depth of fragments': {
    within: `{ bookings(limit: 1) { items { ...A } } } fragment A on Booking { slices { ...B } } fragment B on OfferSlice
      { segments { ...C } } fragment C on OfferSegment { passengers { ...D } } fragment D on SegmentPassenger
      { baggages { ...E } } fragment E on Baggage { type }`,
    beyond: `{ ...A } fragment A on Query { ${'... on Query { '.repeat(6)}...B${' }'.repeat(6)} } fragment B on Query
      { ${'... on Query { '.repeat(6)}__typename${' }'.repeat(6)} }`,
    says: /depth limit of 12 exceeded, found 13/,
  },
  aliases: {
    within: `{ walletBalance { ${repeat(30, (index) => `a${index}: balance`)} } }`,
    beyond: `{ walletBalance { ${repeat(31, (index) => `a${index}: balance`)} } }`,
    says: /aliases/i,
  },
  'aliases of root fields': {
    within: `{ ${repeat(30, (index) => `a${index}: __typename`)} }`,
    beyond: `{ ${repeat(31, (index) => `a${index}: __typename`)} }`,
    says: /aliases/i,
  },
  directives: {
    within: `{ walletBalance { ${repeat(20, () => 'balance @include(if: true)')} } }`,
    beyond: `{ walletBalance { ${repeat(21, () => 'balance @include(if: true)')} } }`,
    says: /directives/i,
  },
  cost: {
    within: `{ walletBalance { ${repeat(10, () => '...A')} } } fragment A on WalletBalance { ${repeat(100, () => 'balance')} }`,
    beyond: `{ walletBalance { ${repeat(150, () => '...A')} } } fragment A on WalletBalance { ${repeat(100, () => 'balance')} }`,
    says: /cost/i,
  },
  'cost of fragments': {
    // 14 of 2 and one and a half times 2 and one and a half times 80.
    within: `{ ${repeat(14, (index) => `... on Query { ... on Query { ... on Query { a${index}: walletTransactions { ...A } } } }`)} }
      fragment A on WalletTransactions { transactions { ...B } }
      fragment B on WalletTransaction { ${repeat(80, () => 'id')} }`,
    beyond: `{ ${repeat(30, (index) => `a${index}: walletTransactions { ...A }`)} }
      fragment A on WalletTransactions { transactions { ...B } }
      fragment B on WalletTransaction { ${repeat(90, () => 'id')} }`,
    says: /cost limit of 6000 exceeded, found 6225/,
  },
  tokens: {
    within: repeat(320, (index) => `query Q${index} { walletBalance { balance currency } }`),
    beyond: `{ walletBalance { ${repeat(3_000, () => '__typename')} } }`,
    operationName: 'Q0',
    says: /tokens/,
  },
  lines: {
    within: `{ __typename${'\r\n'.repeat(2_999)}}`,
    beyond: `{ __typename${'\n'.repeat(3_000)}}`,
    says: /too many lines: at most 3000/i,
  },
  'lines that end with CR alone': {
    within: `{ __typename${'\r'.repeat(2_999)}}`,
    beyond: `{ __typename${'\r'.repeat(3_000)}}`,
    says: /too many lines: at most 3000/i,
  },
  'nested values': {
    within: `{ __type(name: "${'['.repeat(200)}") { kind } ${repeat(101, () => '__typename @include(if: true)').replaceAll(' @include(if: true)', '')} }`,
    beyond: `{ bookings(limit: ${'['.repeat(2_900)}${']'.repeat(90)}) { items { id } } }`,
    says: /nested too deeply: at most 100 braces, brackets and parentheses within one another/i,
  },
  nesting: {
    within: `{ __type(name: "${'['.repeat(101)}") { kind } }`,
    beyond: ofLists(99),
    says: /nested too deeply: at most 100 braces, brackets and parentheses within one another/i,
  },
  'nesting of parentheses': {
    within: repeat(101, (index) => `query Q${index} { bookings(limit: 1) { items { id } } }`),
    operationName: 'Q0',
    beyond: '('.repeat(101),
    says: /nested too deeply/i,
  },
  'nesting at the end': {
    within: `${repeat(310, (index) => `query Q${index} { walletBalance { balance currency } }`)} query T { __type(name: "${'['.repeat(101)}") { kind } }`,
    operationName: 'T',
    beyond: `{ ${repeat(2_850, () => '__typename')} ${'('.repeat(100)}`,
    says: /nested too deeply/i,
  },
  'nesting by thousands': {
    within: `{ __type(name: """${'{'.repeat(2_900)}""") { kind } }`,
    beyond: `{ bookings(limit: ${'['.repeat(2_900)}`,
    says: /nested too deeply/i,
  },
  'depth of introspection': {
    // What tools ask for, which is deeper and costs more than any other document may.
    within: getIntrospectionQuery(),
    beyond: `{ __schema { types { ${'fields { type { '.repeat(5)}name${' } }'.repeat(5)} } } }`,
    says: /introspection depth/i,
  },
  'depth down to introspection': {
    within: `{ ${'... on Query { '.repeat(12)}__schema { queryType { name } }${' }'.repeat(12)} }`,
    beyond: `{ ${'... on Query { '.repeat(13)}__schema { queryType { name } }${' }'.repeat(13)} }`,
    says: /depth limit of 12 exceeded, found 13/,
  },
  'levels of introspection with more beside it': {
    within: `{ ... on Query { __schema { queryType { ${'ofType { '.repeat(23)}name${' }'.repeat(23)} } } __typename } }`,
    beyond: `{ ... on Query { __schema { queryType { ${'ofType { '.repeat(24)}name${' }'.repeat(24)} } } __typename } }`,
    says: /introspection depth limit of 25 exceeded, found 26/i,
  },
  'levels of introspection': {
    within: `{ __schema { queryType { ${'ofType { '.repeat(23)}name${' }'.repeat(23)} } } }`,
    beyond: `{ __schema { ...A } } fragment A on __Schema { queryType { ${'ofType { '.repeat(24)}name${' }'.repeat(24)} } }`,
    says: /introspection depth limit of 25 exceeded, found 26/i,
  },
  names: {
    within: `query ${'o'.repeat(255)} { __type(name: "${'x'.repeat(300)}") { kind } }`,
    beyond: `query ${'o'.repeat(256)} { __typename }`,
    says: /name too long: at most 255/i,
  },
  'names of variables': {
    within: `query ($${'v'.repeat(255)}: PageSize = 1) { bookings(limit: $${'v'.repeat(255)}) { items { id } } }`,
    beyond: `query ($${'v'.repeat(256)}: PageSize = 1) { bookings(limit: $${'v'.repeat(256)}) { items { id } } }`,
    says: /name too long: at most 255/i,
  },
  'names of aliases': {
    within: `{ ${'a'.repeat(64)}: __typename __type(name: "${'x'.repeat(65)}") { kind } }`,
    beyond: `{ ${repeat(40, () => '__typename')} ${'a'.repeat(65)}: __typename }`,
    says: /alias too long: at most 64/i,
  },
  'aliases of introspection': {
    within: '{ __schema { queryType { name } } a: __typename }',
    beyond: '{ a: __schema { queryType { name } } }',
    says: /introspection takes no aliases/i,
  },
  'aliases of a type': {
    within: '{ __type(name: "Query") { kind } }',
    beyond: '{ a: __type(name: "Query") { kind } }',
    says: /introspection takes no aliases/i,
  },
  'aliases within introspection': {
    within: '{ __schema { types { ...A } } } fragment A on __Type { kind fields { name } }',
    beyond: '{ __schema { types { ...A } } } fragment A on __Type { kind a: fields { name } }',
    says: /introspection takes no aliases/i,
  },
  fragments: {
    within: manyFragments(30),
    beyond: manyFragments(31),
    says: /too many fragments/i,
  },
  'fragments that spread one another': {
    within: manyFragments(30),
    beyond: `{ ...F0 } ${repeat(200, (index) => `fragment F${index} on Query { ...F${(index + 1) % 200} ...F${(index + 7) % 200} }`)}`,
    says: /fragments/,
  },
  'circles of fragments': {
    within: '{ ...A } fragment A on Query { ...B } fragment B on Query { __typename }',
    beyond: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
    says: /cannot spread fragment/i,
  },
};

it('README has the limits of documents as they are', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const {
    depth,
    aliases,
    directives,
    fragments,
    tokens,
    lines,
    nesting,
    cost,
    name,
    alias,
    introspectionDepth,
  } = documentLimits;
  const spaced = (number: number) => String(number).replace(/\B(?=\d{3}$)/, ' ');
  expect(readme).toContain(
    `at most ${depth} levels, ${aliases} aliases, ${directives} directives, ${fragments} fragments and ${spaced(tokens)} tokens, on at most ${spaced(lines)} lines, with ${nesting} braces, brackets and parentheses within one another;`,
  );
  expect(readme).toContain(`A document costs at most ${spaced(cost)}:`);
  expect(readme).toContain(`a name has at most ${name} characters, an alias ${alias};`);
  expect(readme).toContain(`${introspectionDepth} levels below \`__schema\``);
});

describeOneEngine('The GraphQL door is guarded', (engine) => {
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    server = await startTestServer(engine);
    key = (await server.createTeam()).test;
  });
  afterAll(() => server.close());

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    server.rest('POST', '/graphql', { key, body, headers });

  it('and asks GraphQL about what is nested as deeply as it may be', async () => {
    const { status, body } = await post({ query: ofLists(98) });
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('PageSize')]);
  });

  describe.each(Object.entries(documents))(
    'against excessive %s',
    (_limit, { within, operationName, beyond, says }) => {
      it('over HTTP', async () => {
        const sound = await post({ query: within, operationName });
        expect([sound.status, sound.body.errors]).toEqual([200, undefined]);
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const { status, body } = await post({ query: beyond });
          expect([status, body.data]).toEqual([400, undefined]);
          expect(body.errors.map(({ message }: Json) => message).join()).toMatch(says);
        }
      });

      it('over event streams', async () => {
        const headers = { accept: 'text/event-stream' };
        expect((await post({ query: within, operationName }, headers)).text).toContain('"data":{');
        const refused = await post({ query: beyond }, headers);
        expect(refused.status).toBe(400);
        expect(refused.text).toMatch(says);
      });

      it('over WebSockets', async () => {
        const raw = await connectRawSocket(server.url, key);
        raw.send({ type: 'subscribe', id: 'within', payload: { query: within, operationName } });
        raw.send({ type: 'subscribe', id: 'beyond', payload: { query: beyond } });
        const sound = await raw.receives((message) => message.id === 'within' && message.type !== 'complete');
        expect([sound.type, sound.payload.errors]).toEqual(['next', undefined]);
        const refused = await raw.receives((message) => message.id === 'beyond');
        expect(refused.type).toBe('error');
        expect(JSON.stringify(refused.payload)).toMatch(says);
        raw.socket.terminate();
      });
    },
  );
});
