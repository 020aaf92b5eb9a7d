import type { DocumentNode, SelectionNode } from 'graphql';
import { GraphQLError, Kind, OperationTypeNode } from 'graphql';
import { isCondition } from './conditions.ts';

/**
 * Conditions on what subscriptions follow, which GraphQL forbids ("Single Root Field", specification of September 2025): a
 * subscription without a field follows nothing. graphql's own rules do not know that yet, and its executor throws.
 */
export function conditionalRoots(document: DocumentNode): GraphQLError[] {
  const seen = new Set<SelectionNode>();
  const look = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (seen.has(selection)) continue;
      seen.add(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) look(selection.selectionSet.selections);
      if (selection.kind === Kind.FRAGMENT_SPREAD) look(spreadIn(document, selection.name.value));
    }
  };
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    if (definition.operation === OperationTypeNode.SUBSCRIPTION) look(definition.selectionSet.selections);
  }
  return [...seen]
    .flatMap(({ directives = [] }) => directives)
    .filter(isCondition)
    .map(
      (directive) =>
        new GraphQLError('Subscriptions have no conditions on their field', { nodes: directive }),
    );
}

/** What a fragment selects, by its name. */
export function spreadIn(document: DocumentNode, fragment: string): readonly SelectionNode[] {
  return document.definitions.flatMap((definition) =>
    definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === fragment
      ? definition.selectionSet.selections
      : [],
  );
}
