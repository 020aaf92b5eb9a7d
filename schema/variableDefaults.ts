import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { typeFromAST, valueFromAST } from 'graphql';

/** Values of the variables that a request may leave out. */
export function defaultsOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue)
      defaults[variable.name.value] = valueFromAST(defaultValue, typeFromAST(schema, type as never) as never);
  }
  return defaults;
}
