import type {
  DocumentNode,
  FieldNode,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import { defaultFieldResolver, getArgumentValues, getOperationAST, Kind } from 'graphql';
import type { Variable } from '../schema/coercion.ts';
import { coerceVariables, inputOf } from '../schema/coercion.ts';
import type { RootField } from '../schema/rootFields.ts';
import { defaultsOf } from '../schema/variableDefaults.ts';
import type { RequestContext } from '../src/domain/admission.ts';

/** The only root field of a route's document, and what it takes to run it. */
export interface RouteField {
  readonly operation: OperationDefinitionNode;
  readonly variables: readonly Variable[];
  readonly node: FieldNode;
  readonly definition: RootField;
  /**
   * Checks the variables and resolves the field.
   * @throws AppError 400 naming every bad variable; whatever the resolver throws.
   */
  resolve(context: RequestContext, variables: Readonly<Record<string, unknown>>): unknown;
}

/** @throws Error when a document, which must be valid, has not exactly one root field. */
export function routeFieldOf(schema: GraphQLSchema, document: DocumentNode): RouteField {
  const operation = getOperationAST(document);
  const [node, ...others] = operation?.selectionSet.selections ?? [];
  const parentType = operation && schema.getRootType(operation.operation);
  if (!parentType || node?.kind !== Kind.FIELD || others.length > 0) throw new Error('not one root field');
  const definition = parentType.getFields()[node.name.value] as RootField;
  const resolve = definition.resolve ?? defaultFieldResolver;
  const input = inputOf(schema, document, operation);
  const { variables } = input;
  const defaults = defaultsOf(schema, operation);
  const info: Omit<GraphQLResolveInfo, 'variableValues'> = {
    fieldName: definition.name,
    fieldNodes: [node],
    returnType: definition.type,
    parentType,
    path: { prev: undefined, key: node.alias?.value ?? definition.name, typename: parentType.name },
    schema,
    fragments: {},
    rootValue: undefined,
    operation,
  };
  const root = { operation, variables, node, definition };
  if (variables.length === 0) {
    const args = Object.freeze(getArgumentValues(definition, node));
    const constantInfo = { ...info, variableValues: {} };
    return { ...root, resolve: (context) => resolve(undefined, args, context, constantInfo) };
  }
  return {
    ...root,
    resolve(context, raw) {
      const coerced = coerceVariables(input, raw, { rules: 'json' }, context);
      const variableValues = { ...defaults, ...coerced };
      const args = getArgumentValues(definition, node, variableValues);
      return resolve(undefined, args, context, { ...info, variableValues });
    },
  };
}
