import { costLimitRule } from '@escape.tech/graphql-armor-cost-limit';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import type { GraphQLError, ValidationContext, ValidationRule } from 'graphql';

/** How large a GraphQL document may be: what the doors' own documents need, several times over. */
export const documentLimits = {
  depth: 12,
  aliases: 30,
  directives: 20,
  cost: 6_000,
  tokens: 3_000,
  /** Operations in one HTTP request. */
  batch: 10,
} as const;

/** Reports a breach like any other fault of the document; left to themselves, the rules throw through validation. */
const reporting = {
  onReject: [(context: ValidationContext | null, error: GraphQLError) => context?.reportError(error)],
  propagateOnRejection: false,
};

/** Validation rules beyond GraphQL's own. */
export function limitRules(): ValidationRule[] {
  return [
    maxDepthRule({ n: documentLimits.depth, ignoreIntrospection: true, ...reporting }),
    maxAliasesRule({ n: documentLimits.aliases, allowList: [], ...reporting }),
    maxDirectivesRule({ n: documentLimits.directives, ...reporting }),
    costLimitRule({ maxCost: documentLimits.cost, ignoreIntrospection: true, ...reporting }),
  ] as unknown as ValidationRule[];
}
