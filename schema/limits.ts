import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import type { ValidationContext, ValidationRule } from 'graphql';
import { GraphQLError, NoSchemaIntrospectionCustomRule } from 'graphql';
import { sizeRule } from './documentSize.ts';

/** How large a GraphQL document may be: what the doors' own documents need, several times over. */
export const documentLimits = {
  depth: 12,
  aliases: 30,
  directives: 20,
  cost: 6_000,
  tokens: 3_000,
  fragments: 30,
  /** Operations in one HTTP request. */
  batch: 10,
} as const;

/**
 * A document with many fragments, before anything follows them: GraphQL's own rules overflow the stack on some eighty
 * that spread one another in circles. What looks like a definition in a text counts as well.
 * @throws GraphQLError as a fault of the document.
 */
export function checkFragments(source: string): void {
  const { fragments } = documentLimits;
  if ((source.match(/\bfragment\b/g)?.length ?? 0) <= fragments) return;
  throw new GraphQLError(`Too many fragments: at most ${fragments}`, {
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
}

/** Reports a breach like any other fault of the document; left to themselves, the rules throw through validation. */
const reporting = {
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
  propagateOnRejection: false,
};

/**
 * The limits of depth and cost leave introspection alone, so that tools can read the schema. What they ask has no aliases,
 * without which the schema is in an answer once.
 */
const plainIntrospection: ValidationRule = (context) => ({
  Field(node) {
    const isOfSchema =
      node.name.value === '__schema' ||
      node.name.value === '__type' ||
      context.getParentType()?.name.startsWith('__');
    if (node.alias && isOfSchema)
      context.reportError(new GraphQLError('Introspection takes no aliases', { nodes: node }));
  },
});

/** Validation rules beyond GraphQL's own, of every door. @param introspection whether clients may ask for the schema. */
export function limitRules(introspection: boolean): ValidationRule[] {
  return [
    ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
    plainIntrospection,
    sizeRule(documentLimits),
    maxAliasesRule({ n: documentLimits.aliases, allowList: [], ...reporting }),
    maxDirectivesRule({ n: documentLimits.directives, ...reporting }),
  ] as unknown as ValidationRule[];
}
