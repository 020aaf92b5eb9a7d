import type { GraphQLInputType, ValueNode } from 'graphql';
import { getNullableType, isInputObjectType, Kind, valueFromASTUntyped } from 'graphql';
import { describe } from './jsonSchemas.ts';
import type { JsonSchema } from './namedSchemas.ts';
import type { RootField } from './rootField.ts';

/** What the documentation says of a field of requests, beside its type. */
export interface VariableDocs {
  readonly description?: string;
  /** As a member, where there is one. */
  readonly default: JsonSchema;
}

/** By the names of a route's variables, each as the argument or member tells that takes it. */
export function variableDocs({ operation, node, definition }: RootField): ReadonlyMap<string, VariableDocs> {
  const descriptions = new Map<string, string | null | undefined>();
  for (const { name, value } of node.arguments ?? []) {
    const argument = definition.args.find((one) => one.name === name.value);
    if (argument) collect(value, argument, descriptions);
  }
  return new Map(
    (operation.variableDefinitions ?? []).map(({ variable: { name }, defaultValue }) => [
      name.value,
      {
        ...describe(descriptions.get(name.value)),
        default: defaultValue ? { default: valueFromASTUntyped(defaultValue) } : {},
      },
    ]),
  );
}

function collect(
  value: ValueNode,
  { type, description }: { type: GraphQLInputType; description?: string | null },
  descriptions: Map<string, string | null | undefined>,
): void {
  if (value.kind === Kind.VARIABLE) descriptions.set(value.name.value, description);
  const inner = getNullableType(type);
  if (value.kind !== Kind.OBJECT || !isInputObjectType(inner)) return;
  for (const { name, value: member } of value.fields) {
    const field = inner.getFields()[name.value];
    if (field) collect(member, field, descriptions);
  }
}
