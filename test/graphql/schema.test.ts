import type { GraphQLOutputType, GraphQLSchema } from 'graphql';
import {
  execute,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
} from 'graphql';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { gatewaySchema } from '../../schema/index.ts';
import { Operation, type Prepared, rulesOf } from '../../schema/operation.ts';

describe('The schema', () => {
  const schema = gatewaySchema();

  it('describes every type, field, argument and enum value', () => {
    const nameless: string[] = [];
    const check = (name: string, described: { description?: string | null }) => {
      if (!described.description?.trim()) nameless.push(name);
    };
    for (const type of Object.values(schema.getTypeMap())) {
      if (type.name.startsWith('__') || ['Query', 'Mutation', 'Subscription'].includes(type.name)) continue;
      check(type.name, type);
    }
    for (const [name, member] of members(schema)) check(name, member);
    for (const directive of schema.getDirectives()) check(`@${directive.name}`, directive);
    expect(nameless).toEqual([]);
  });

  function* members(described: GraphQLSchema): Generator<[string, { description?: string | null }]> {
    for (const type of Object.values(described.getTypeMap())) {
      if (type.name.startsWith('__')) continue;
      if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value];
      if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        yield [`${type.name}.${field.name}`, field];
        if ('args' in field) {
          for (const argument of field.args) yield [`${type.name}.${field.name}(${argument.name})`, argument];
        }
      }
    }
  }

  it('names arguments and the members of those that are objects apart, so that a refusal of a name is of one place', () => {
    const ambiguous: string[] = [];
    for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
      for (const { name, args } of Object.values(root?.getFields() ?? {})) {
        const places = args.flatMap((argument) => {
          const type = getNullableType(argument.type);
          return [argument.name, ...(isInputObjectType(type) ? Object.keys(type.getFields()) : [])];
        });
        if (new Set(places).size < places.length) ambiguous.push(name);
      }
    }
    expect(ambiguous).toEqual([]);
  });

  it('takes for a creation only what leaves the writing to it, so that a key is never without its effect', () => {
    const declare = Operation({ scope: 'wallet:write', creation: 'plain' });
    type Resolver<Answer> = TypedPropertyDescriptor<() => Promise<Answer>>;
    // For the compiler alone: nothing of this runs.
    expectTypeOf((resolver: Resolver<Prepared<string>>) => declare({}, 'create', resolver)).toBeFunction();
    // @ts-expect-error: it has written before its key is.
    expectTypeOf((resolver: Resolver<string>) => declare({}, 'create', resolver)).toBeFunction();
  });

  it('declares for every operation what it asks of its caller, and says so', () => {
    const operations = [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
      ['subscription', schema.getSubscriptionType()],
    ] as const;
    let checked = 0;
    for (const [operation, type] of operations) {
      for (const { name, description } of Object.values(type?.getFields() ?? {})) {
        for (const scope of [rulesOf(schema, operation, name).scope].flat()) {
          expect(scope).toMatch(/^(operator|[a-z_]+:[a-z]+)$/);
          expect(description).toContain(scope);
          checked += 1;
        }
      }
    }
    expect(checked).toBeGreaterThan(14);
  });

  /** What below a type is a secret, or tells of a person. */
  function privateParts(type: GraphQLOutputType, above: readonly string[] = []): string[] {
    const named = getNamedType(type);
    if (!isObjectType(named) || above.includes(named.name)) return [];
    return Object.values(named.getFields()).flatMap((field) =>
      ['secret', 'givenName', 'bornOn', 'email', 'phoneNumber', 'taxId'].includes(field.name)
        ? [`${named.name}.${field.name}`]
        : privateParts(field.type, [...above, named.name]),
    );
  }

  it('keeps the answers of creations sealed that show a secret or a person', () => {
    const creations = Object.values(schema.getMutationType()?.getFields() ?? {}).map(({ name, type }) => ({
      name,
      kept: rulesOf(schema, 'mutation', name).creation,
      shows: privateParts(type),
    }));
    const named = (kept: string) => creations.filter((one) => one.kept === kept);
    expect(named('secret').filter(({ shows }) => shows.length === 0)).toEqual([]);
    expect(named('plain').filter(({ shows }) => shows.length > 0)).toEqual([]);
  });

  it('runs no operation for a context without a caller', async () => {
    const result = await execute({
      schema,
      document: parse('{ walletBalance { balance } }'),
      contextValue: {},
    });
    expect(result.data ?? null).toBeNull();
    expect(result.errors).toHaveLength(1);
  });
});
