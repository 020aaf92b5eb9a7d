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
import { buildGatewaySchema } from '../../schema/index.ts';
import { rulesOf } from '../../schema/operation.ts';
import { scopes } from '../../src/domain/teams/scope.ts';
import { describeEngines } from '../harness/engines.ts';
import type { TeamKeys, TestServer } from '../harness/server.ts';
import { startTestServer } from '../harness/server.ts';

/** What holds for every query and mutation of the schema, present and future. */

const schema = buildGatewaySchema();

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

describeEngines('every GraphQL operation', (engine) => {
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
      const others = scopes.filter((scope) => scope !== rules.scope);
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

    it('lets in whom it is for', async () => {
      const key = rules.scope === 'operator' ? server.keys.operator : team.test;
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
