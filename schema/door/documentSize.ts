import type { SelectionSetNode, ValidationRule } from 'graphql';
import { GraphQLError, Kind } from 'graphql';

/** How large an operation is at most. */
export interface SizeLimits {
  /** Fields, and inline fragments, one within the other. */
  readonly depth: number;
  /** A field costs 1, one with fields of its own 2 and one and a half times what those cost. */
  readonly cost: number;
  /** The same as `depth`, below `__schema`. */
  readonly introspectionDepth: number;
}

const messages: Readonly<Record<keyof SizeLimits, string>> = {
  depth: 'Query depth',
  cost: 'Query cost',
  introspectionDepth: 'Introspection depth',
};

type Size = Record<keyof SizeLimits, number>;

const nothing: Size = { depth: 0, cost: 0, introspectionDepth: 0 };

/**
 * The limits of depth and cost, of an operation as it is executed: what a fragment has counts wherever it is spread, and the
 * fragment itself nothing. A document is the same size however it is divided into them. `__schema` has a depth of its own and
 * no cost, so that tools can read it.
 */
export function sizeRule(limits: SizeLimits): ValidationRule {
  return (context) => {
    const fragments = new Map<string, Size>();

    const sizeOfFragment = (name: string): Size => {
      const known = fragments.get(name);
      if (known) return known;
      // One that leads back to itself is refused by GraphQL's own rules.
      fragments.set(name, nothing);
      const fragment = context.getFragment(name);
      const size = fragment ? sizeOf(fragment.selectionSet) : nothing;
      fragments.set(name, size);
      return size;
    };

    const sizeOf = ({ selections }: SelectionSetNode): Size => {
      let { depth, cost, introspectionDepth } = nothing;
      for (const selection of selections) {
        let size: Size;
        if (selection.kind === Kind.FRAGMENT_SPREAD) size = sizeOfFragment(selection.name.value);
        else if (!selection.selectionSet) size = { ...nothing, depth: 1, cost: 1 };
        else {
          const within = sizeOf(selection.selectionSet);
          const isField = selection.kind === Kind.FIELD;
          if (isField && selection.name.value === '__schema')
            size = { ...nothing, introspectionDepth: within.depth };
          else
            size = {
              depth: 1 + within.depth,
              cost: isField ? 2 + 1.5 * within.cost : within.cost,
              introspectionDepth: within.introspectionDepth,
            };
        }
        depth = Math.max(depth, size.depth);
        cost += size.cost;
        introspectionDepth = Math.max(introspectionDepth, size.introspectionDepth);
      }
      return { depth, cost, introspectionDepth };
    };

    return {
      OperationDefinition(operation) {
        const found = sizeOf(operation.selectionSet);
        for (const limit of ['depth', 'cost', 'introspectionDepth'] as const)
          if (found[limit] > limits[limit]) {
            const message = `${messages[limit]} limit of ${limits[limit]} exceeded, found ${found[limit]}.`;
            context.reportError(new GraphQLError(message, { nodes: operation }));
          }
      },
    };
  };
}
