import type { GraphQLInputType, GraphQLOutputType, GraphQLSchema, SelectionSetNode } from 'graphql';
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
} from 'graphql';

/** JSON Schema (2020-12) of the schema's types, as OpenAPI 3.1 has it. */

export type JsonSchema = Record<string, unknown>;

const scalarSchemas: Readonly<Record<string, JsonSchema>> = {
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
};

function leafSchema(type: GraphQLInputType | GraphQLOutputType): JsonSchema {
  const named = getNamedType(type);
  if (isEnumType(named)) return { type: 'string', enum: named.getValues().map((value) => value.name) };
  return scalarSchemas[named.name] ?? (named.extensions.openapi as JsonSchema | undefined) ?? {};
}

function orNull(schema: JsonSchema, nullable: boolean): JsonSchema {
  if (!nullable) return schema;
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  // JSON Schema asks for both: a value of one of the types, and one of those that are listed.
  const listed = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...listed };
}

/** Of what a request may have. */
export function inputSchema(type: GraphQLInputType): JsonSchema {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: inputSchema(nullable.ofType) };
  if (!isInputObjectType(nullable)) return leafSchema(nullable);
  const fields = Object.values(nullable.getFields());
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [field.name, { ...inputSchema(field.type), ...describe(field.description) }]),
    ),
    required: fields
      .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
      .map((f) => f.name),
  };
}

/** A description as a member, where there is one. */
export const describe = (description: string | null | undefined) => (description ? { description } : {});

/** Of what a selection answers; the kinds of a union are alternatives. */
export function outputSchema(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  schema: GraphQLSchema,
): JsonSchema {
  const nullable = getNullableType(type);
  if (isListType(nullable))
    return { type: 'array', items: outputSchema(nullable.ofType, selections, schema) };
  if (isUnionType(nullable)) {
    const alternatives = selections?.selections.flatMap((selection) => {
      if (selection.kind !== Kind.INLINE_FRAGMENT || !selection.typeCondition) return [];
      const member = schema.getType(selection.typeCondition.name.value);
      return isObjectType(member) ? [outputSchema(member, selection.selectionSet, schema)] : [];
    });
    return { oneOf: alternatives ?? [] };
  }
  return isObjectType(nullable) && selections
    ? objectSchema(nullable, selections, schema)
    : leafSchema(nullable);
}

function objectSchema(
  type: { getFields(): Record<string, { type: GraphQLOutputType; description?: string | null }> },
  selections: SelectionSetNode,
  schema: GraphQLSchema,
): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const selection of selections.selections) {
    if (selection.kind !== Kind.FIELD) continue;
    const field = type.getFields()[selection.name.value];
    if (!field) continue;
    const key = selection.alias?.value ?? selection.name.value;
    const omitted = selection.directives?.some((directive) => directive.name.value === 'omitNull') ?? false;
    const value = outputSchema(field.type, selection.selectionSet, schema);
    properties[key] = {
      ...orNull(value, !omitted && !isNonNullType(field.type)),
      ...describe(field.description),
    };
    if (!omitted) required.push(key);
  }
  return { type: 'object', properties, required };
}
