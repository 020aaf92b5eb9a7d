import type { DocumentNode, FieldNode, OperationDefinitionNode, SelectionNode } from 'graphql';
import { Kind } from 'graphql';
import { spreadIn } from './subscriptionRoots.ts';

/**
 * The root fields that an operation selects, those in fragments among them, in the order of the document and once each.
 * @param isAsked whether a selection counts; by default each does, whatever its conditions.
 */
export function rootFieldsOf(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
  isAsked: (selection: SelectionNode) => boolean = () => true,
): FieldNode[] {
  const seen = new Set<SelectionNode>();
  const fieldsIn = (selections: readonly SelectionNode[]): FieldNode[] =>
    selections.flatMap((selection) => {
      if (seen.has(selection) || !isAsked(selection)) return [];
      seen.add(selection);
      if (selection.kind === Kind.FIELD) return [selection];
      return fieldsIn(
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection.selectionSet.selections
          : spreadIn(document, selection.name.value),
      );
    });
  return fieldsIn(selectionSet.selections);
}
