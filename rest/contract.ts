import type { GraphQLOutputType, GraphQLSchema, SelectionSetNode } from 'graphql';
import { getNullableType, isListType, isObjectType, isUnionType, Kind } from 'graphql';
import type { PreparedRoute } from './handler.ts';
import { isOmittable, memberName } from './selectedMembers.ts';

/**
 * Every route's request and response fields with their types, one line each. An alias with a typo is valid GraphQL:
 * what holds the documented names is that this text is checked in and compared.
 */
export function contractText(prepared: readonly PreparedRoute[], schema: GraphQLSchema): string {
  return `${prepared.map((one) => routeText(one, schema)).join('\n\n')}\n`;
}

function routeText({ route, root, rules }: PreparedRoute, schema: GraphQLSchema): string {
  const inputs = root.variables.map(
    ({ name, type: input, hasDefault }) => `  > ${name}: ${String(input)}${hasDefault ? ' (default)' : ''}`,
  );
  const notes = [
    rules.scope,
    `limit ${rules.bucket}`,
    ...(rules.creation ? ['Idempotency-Key'] : []),
    ...(rules.testOnly ? ['test keys only'] : []),
  ];
  return [
    `${route.method.toUpperCase()} ${route.path} -> ${route.status} ${route.envelope}  [${notes.join(', ')}]`,
    ...inputs,
    ...outputLines(root.definition.type, root.node.selectionSet, schema, '').map((line) => `  < ${line}`),
  ].join('\n');
}

function outputLines(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  schema: GraphQLSchema,
  path: string,
): string[] {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return outputLines(nullable.ofType, selections, schema, `${path}[]`);
  if (!selections) return [];
  return selections.selections.flatMap((selection) => {
    if (selection.kind === Kind.INLINE_FRAGMENT && isUnionType(nullable)) {
      const member = schema.getType(selection.typeCondition?.name.value ?? '');
      return isObjectType(member)
        ? outputLines(member, selection.selectionSet, schema, `${path}(${member.name})`)
        : [];
    }
    if (selection.kind !== Kind.FIELD || !isObjectType(nullable)) return [];
    const fieldType = nullable.getFields()[selection.name.value]?.type;
    if (!fieldType) return [];
    const omitted = isOmittable(selection);
    const key = `${path}${path ? '.' : ''}${memberName(selection)}`;
    const own = selection.selectionSet
      ? []
      : [`${key}: ${String(fieldType)}${omitted ? ' (left out when null)' : ''}`];
    return [...own, ...outputLines(fieldType, selection.selectionSet, schema, key)];
  });
}
