import type { GraphQLOutputType } from 'graphql';
import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { describe, expect, it } from 'vitest';
import { guardOperations } from '../../schema/operation.ts';

const schemaOf = (type: GraphQLOutputType, extensions: Record<string, unknown>) =>
  new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { balance: { type, extensions } } }),
  });

const operation = { scope: 'wallet:read', bucket: 'default', creation: null, testOnly: false };

describe('A schema', () => {
  it('is guarded where each query says what it asks of its caller, and is never null', () => {
    expect(() => guardOperations(schemaOf(new GraphQLNonNull(GraphQLString), { operation }))).not.toThrow();
  });

  it('does not build with an operation that does not say what it asks of its caller', () => {
    expect(() => guardOperations(schemaOf(new GraphQLNonNull(GraphQLString), {}))).toThrow(
      'query balance does not declare its rules',
    );
  });

  it('does not build with a query that may be null: a refusal has to take the whole answer with it', () => {
    expect(() => guardOperations(schemaOf(GraphQLString, { operation }))).toThrow(
      'query balance may be null',
    );
  });
});
