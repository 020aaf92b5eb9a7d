import { costLimitRule } from '@escape.tech/graphql-armor-cost-limit';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import type { ValidationRule } from 'graphql';

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

/** Validation rules beyond GraphQL's own. */
export function limitRules(): ValidationRule[] {
  return [
    maxDepthRule({ n: documentLimits.depth, ignoreIntrospection: true }),
    maxAliasesRule({ n: documentLimits.aliases, allowList: [] }),
    maxDirectivesRule({ n: documentLimits.directives }),
    costLimitRule({ maxCost: documentLimits.cost, ignoreIntrospection: true }),
  ] as unknown as ValidationRule[];
}
