import type {
  DocumentNode,
  FieldNode,
  GraphQLField,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';
import { GraphQLError, Kind, OperationTypeNode } from 'graphql';
import { isCondition } from './conditions.ts';

/** A field of the query, mutation or subscription type. */
export type RootField = GraphQLField<unknown, unknown>;

/**
 * The root fields that an operation selects, those in fragments among them, in the order of the document and once each.
 * @param isAsked whether a selection counts; by default each does, whatever its conditions.
 */
export const rootFieldsOf = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isAsked?: (selection: SelectionNode) => boolean,
): FieldNode[] =>
  rootSelectionsOf(document, [operation], isAsked).filter((selection) => selection.kind === Kind.FIELD);

/**
 * Conditions on what subscriptions follow, which GraphQL forbids ("Single Root Field", specification of September 2025): a
 * subscription without a field follows nothing. graphql's own rules do not know that yet, and its executor throws.
 */
export function conditionalRoots(document: DocumentNode): GraphQLError[] {
  const subscriptions = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .filter(({ operation }) => operation === OperationTypeNode.SUBSCRIPTION);
  return rootSelectionsOf(document, subscriptions)
    .flatMap(({ directives = [] }) => directives)
    .filter(isCondition)
    .map(
      (directive) =>
        new GraphQLError('Subscriptions have no conditions on their field', { nodes: directive }),
    );
}

/**
 * The fields and fragments that operations select at their root, and what these fragments select in turn: in the order of
 * the document and once each, so that fragments which spread each other come to an end.
 */
function rootSelectionsOf(
  document: DocumentNode,
  operations: readonly OperationDefinitionNode[],
  isAsked: (selection: SelectionNode) => boolean = () => true,
): SelectionNode[] {
  const found = new Set<SelectionNode>();
  const look = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (found.has(selection) || !isAsked(selection)) continue;
      found.add(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) look(selection.selectionSet);
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        for (const definition of document.definitions)
          if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value)
            look(definition.selectionSet);
    }
  };
  for (const { selectionSet } of operations) look(selectionSet);
  return [...found];
}
