import type { DocumentNode, GraphQLSchema, OperationDefinitionNode, SelectionNode } from 'graphql';
import { Kind } from 'graphql';
import type { OperationBucket } from '../src/domain/admission.ts';
import { rulesOf } from './operation.ts';
import { spreadIn } from './subscriptionRoots.ts';

/** Which limit counts an operation of a valid document that is refused before it runs: that of its first root field. */
export function bucketOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
): OperationBucket {
  const name = firstFieldIn(selectionSet.selections, document, new Set());
  return name === null ? 'default' : rulesOf(schema, operation, name).bucket;
}

/** Null where there is none but GraphQL's own. */
function firstFieldIn(
  selections: readonly SelectionNode[],
  document: DocumentNode,
  seen: Set<SelectionNode>,
): string | null {
  for (const selection of selections) {
    if (seen.has(selection)) continue;
    seen.add(selection);
    const name =
      selection.kind === Kind.FIELD
        ? selection.name.value
        : firstFieldIn(within(selection, document), document, seen);
    if (name !== null && !name.startsWith('__')) return name;
  }
  return null;
}

const within = (selection: Exclude<SelectionNode, { kind: Kind.FIELD }>, document: DocumentNode) =>
  selection.kind === Kind.INLINE_FRAGMENT
    ? selection.selectionSet.selections
    : spreadIn(document, selection.name.value);
