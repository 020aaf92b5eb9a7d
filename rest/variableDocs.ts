import type { GraphQLInputType, ValueNode } from 'graphql';
import { getNullableType, isInputObjectType, Kind, valueFromASTUntyped } from 'graphql';
import type { Bounds } from '../schema/bounds.ts';
import { boundsOfArgument, boundsOfMember } from '../schema/bounds.ts';
import { describe } from './jsonSchemas.ts';
import type { JsonSchema } from './namedSchemas.ts';
import type { RouteField } from './routeField.ts';

/** What the documentation says of a field of requests, beside its type. */
export interface VariableDocs {
  readonly description?: string;
  readonly bounds: Bounds;
  /** As a member, where there is one. */
  readonly default: JsonSchema;
}

/** By the names of a route's variables, each as the argument or member tells that takes it. */
export function variableDocs({ operation, node, definition }: RouteField): ReadonlyMap<string, VariableDocs> {
  const places = new Map<string, Place>();
  for (const { name, value } of node.arguments ?? []) {
    const argument = definition.args.find((one) => one.name === name.value);
    if (argument)
      collect(value, { ...argument, bounds: boundsOfArgument(definition, argument.name) }, places);
  }
  return new Map(
    (operation.variableDefinitions ?? []).map(({ variable: { name }, defaultValue }) => [
      name.value,
      {
        ...describe(places.get(name.value)?.description),
        bounds: places.get(name.value)?.bounds ?? {},
        default: defaultValue ? { default: valueFromASTUntyped(defaultValue) } : {},
      },
    ]),
  );
}

/** Where a variable is taken: an argument, or a member of one. */
interface Place {
  readonly type: GraphQLInputType;
  readonly description?: string | null | undefined;
  readonly bounds: Bounds;
}

function collect(value: ValueNode, place: Place, places: Map<string, Place>): void {
  if (value.kind === Kind.VARIABLE) places.set(value.name.value, place);
  const inner = getNullableType(place.type);
  if (value.kind !== Kind.OBJECT || !isInputObjectType(inner)) return;
  for (const { name, value: member } of value.fields) {
    const field = inner.getFields()[name.value];
    if (field) collect(member, { ...field, bounds: boundsOfMember(field) }, places);
  }
}
