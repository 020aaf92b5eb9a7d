import { randomUUID } from 'node:crypto';
import type { GraphQLArgument, GraphQLInputType, GraphQLScalarType } from 'graphql';
import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewaySchema } from '../../schema/index.ts';
import { rulesOf } from '../../schema/operation.ts';
import { scopes } from '../../src/domain/teams/scope.ts';
import { describeOneEngine } from '../harness/engines.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** What holds for every query and mutation of the schema, present and future. */

const schema = gatewaySchema();

/** Values of every form that scalars have so far, beside the examples that they carry themselves. */
const values = [
  'text',
  1,
  1.5,
  true,
  '100.00',
  '2027-01-15',
  '2026-11-20T12:00:00.000Z',
  'GRU',
  'https://example.com/hook',
];

/** A value that a scalar takes. */
function sampleOf(type: GraphQLScalarType): unknown {
  const { examples = [], enum: words = [] } = (type.extensions.openapi ?? {}) as Record<string, unknown[]>;
  const fitting = [...examples, ...words, ...values].find((value) => {
    try {
      return type.parseValue(value) !== undefined;
    } catch {
      return false;
    }
  });
  if (fitting === undefined) throw new Error(`no value of this test fits ${type.name}: add one`);
  return fitting;
}

/** A literal that fits a type. */
function literalOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalOf(type.ofType);
  if (isListType(type)) return `[${literalOf(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (!isInputObjectType(type)) return JSON.stringify(sampleOf(type as GraphQLScalarType));
  const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
  return `{ ${required.map((field) => `${field.name}: ${literalOf(field.type)}`).join(', ')} }`;
}

function argumentsOf(args: readonly GraphQLArgument[]): string {
  const required = args.filter((argument) => isNonNullType(argument.type));
  return required.length === 0
    ? ''
    : `(${required.map(({ name, type }) => `${name}: ${literalOf(type)}`).join(', ')})`;
}

const operations = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(root?.getFields() ?? {}).map((field) => ({
    title: `${kind} ${field.name}`,
    rules: rulesOf(schema, kind, field.name),
    document: `${kind} { ${field.name}${argumentsOf(field.args)} ${isCompositeType(getNamedType(field.type)) ? '{ __typename }' : ''} }`,
  }));
});

describeOneEngine('every GraphQL operation', (engine) => {
  let server: TestServer;
  let team: TeamKeys;
  beforeAll(async () => {
    server = await startTestServer(engine);
    team = await server.createTeam();
  });
  afterAll(() => server?.close());

  const codesFor = async (document: string, key: string | null) => {
    const { body, status } = await server.graphql(document, null, key);
    return {
      status,
      codes: (body.errors ?? []).map(({ extensions }) => extensions.code),
      meta: body.extensions?._meta,
    };
  };

  it('answers alike when its document is new, and goes through Apollo, and when it is known', async () => {
    const { secret } = await server.createKey({ kind: 'test', teamId: team.teamId, scopes: ['wallet:read'] });
    const named = () => `Document${randomUUID().replaceAll('-', '')}`;
    for (const [source, variables] of [
      ['query NAME { walletBalance { balance } }', null],
      ['query NAME($id: String!) { recharge(id: $id) { id } }', { id: 'nothing' }],
      ['query NAME($id: String!) { recharge(id: $id) { id } }', {}],
      [
        'query NAME($limit: PageSize) { walletTransactions(limit: $limit) { pagination { limit } } }',
        { limit: 101 },
      ],
      ['mutation NAME { createRecharge(amount: "1.00", currency: BRL, paymentMethod: pix) { id } }', null],
      ['{ NAME: walletBalance { balance } recharge(id: "nothing") { id } }', null],
    ] as const) {
      const document = source.replace('NAME', named());
      const answers = [];
      for (let sent = 0; sent < 3; sent += 1) {
        const { status, headers, text } = await server.graphql(document, variables, secret);
        const told = ['content-type', 'cache-control', 'x-ratelimit-limit'].map((name) => headers.get(name));
        answers.push({ status, text, told });
      }
      expect(answers[1], document).toEqual(answers[0]);
      expect(answers[2], document).toEqual(answers[0]);
    }
  });

  it('is one of at least those of the wallet, recharges and accounts', () => {
    expect(operations.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['query walletBalance', 'mutation createRecharge', 'mutation createApiKey']),
    );
  });

  describe.each(operations)('$title', ({ document, rules }) => {
    it('answers 401 to a caller without a key', async () => {
      expect(await codesFor(document, null)).toEqual({
        status: 401,
        codes: ['UNAUTHORIZED'],
        meta: undefined,
      });
    });

    it(`answers FORBIDDEN to keys with everything but ${rules.scope}`, async () => {
      const others = scopes.filter((scope) => ![rules.scope].flat().includes(scope));
      const { secret } = await server.createKey({ kind: 'test', teamId: team.teamId, scopes: others });
      const refused = await codesFor(document, secret);
      expect(refused.codes).toEqual(['FORBIDDEN']);
      expect(refused.meta).toEqual({ test_mode: true, message: expect.any(String) });
      if (rules.scope === 'operator') {
        for (const key of [team.live, team.test]) {
          expect((await codesFor(document, key)).codes).toEqual(['FORBIDDEN']);
        }
      } else {
        expect((await codesFor(document, server.keys.operator)).codes).toEqual(['FORBIDDEN']);
      }
    });

    it.each([rules.scope].flat())('lets %s in', async (scope) => {
      const key =
        scope === 'operator'
          ? server.keys.operator
          : (await server.createKey({ kind: 'test', teamId: team.teamId, scopes: [scope] })).secret;
      const { codes } = await codesFor(document, key);
      for (const code of ['UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR', 'GRAPHQL_VALIDATION_FAILED']) {
        expect(codes).not.toContain(code);
      }
    });

    if (rules.testOnly) {
      it('answers FORBIDDEN to live keys', async () => {
        expect((await codesFor(document, team.live)).codes).toEqual(['FORBIDDEN']);
      });
    }
  });
});
