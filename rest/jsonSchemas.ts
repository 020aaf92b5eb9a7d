import type {
  GraphQLEnumType,
  GraphQLInputType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  SelectionSetNode,
} from 'graphql';
import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
} from 'graphql';
import { boundsOfMember } from '../schema/bounds.ts';
import type { JsonSchema, NamedSchemas } from './namedSchemas.ts';
import { isOmittable, memberName } from './selectedMembers.ts';

const scalarSchemas: Readonly<Record<string, JsonSchema>> = {
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
};

function orNull(schema: JsonSchema, nullable: boolean): JsonSchema {
  if (!nullable) return schema;
  return typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

/** A description as a member, where there is one. */
export const describe = (description: string | null | undefined) => (description ? { description } : {});

/** What a word stands for, and what each of them says: JSON Schema has no other place for that. */
function meaningOf(type: GraphQLEnumType): string {
  const meanings = type
    .getValues()
    .flatMap(({ name, description }) => (description ? [`- \`${name}\`: ${description}`] : []));
  return [type.description ?? '', meanings.join('\n')].filter(Boolean).join('\n\n');
}

/**
 * JSON Schema (2020-12) of GraphQL types, as OpenAPI 3.1 has it. Objects and lists of words are referred to by the name
 * of their type.
 */
export class TypeSchemas {
  readonly #schema: GraphQLSchema;
  readonly #named: NamedSchemas;

  constructor(schema: GraphQLSchema, named: NamedSchemas) {
    this.#schema = schema;
    this.#named = named;
  }

  /** Of what a request may have. */
  input(type: GraphQLInputType): JsonSchema {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return { type: 'array', items: this.input(nullable.ofType) };
    if (!isInputObjectType(nullable)) return this.#leaf(nullable);
    const fields = Object.values(nullable.getFields());
    return this.#named.refer(nullable.name, {
      type: 'object',
      ...describe(nullable.description),
      properties: Object.fromEntries(
        fields.map((field) => [
          field.name,
          { ...this.input(field.type), ...boundsOfMember(field), ...describe(field.description) },
        ]),
      ),
      required: fields
        .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
        .map((field) => field.name),
    });
  }

  /**
   * Of what a selection answers; the kinds of a union are alternatives.
   * @param name of an object that is not called as its type
   */
  output(type: GraphQLOutputType, selections: SelectionSetNode | undefined, name?: string): JsonSchema {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return { type: 'array', items: this.output(nullable.ofType, selections) };
    if (isUnionType(nullable)) return { oneOf: this.#alternatives(selections) };
    return isObjectType(nullable) && selections
      ? this.#named.refer(name ?? nullable.name, this.object(nullable, selections))
      : this.#leaf(nullable, true);
  }

  /** Of the members of an object that are selected, without a name. */
  object(type: GraphQLObjectType, { selections }: SelectionSetNode) {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) continue;
      const field = type.getFields()[selection.name.value];
      if (!field) continue;
      const key = memberName(selection);
      const omitted = isOmittable(selection);
      const form = field.extensions.answered as JsonSchema | undefined;
      const value = { ...this.output(field.type, selection.selectionSet), ...form };
      properties[key] = {
        ...orNull(value, !omitted && !isNonNullType(field.type)),
        ...describe(field.description),
      };
      if (!omitted) required.push(key);
    }
    return { type: 'object', ...describe(type.description), properties, required };
  }

  #alternatives(selections: SelectionSetNode | undefined): JsonSchema[] {
    return (selections?.selections ?? []).flatMap((selection) => {
      if (selection.kind !== Kind.INLINE_FRAGMENT || !selection.typeCondition) return [];
      const member = this.#schema.getType(selection.typeCondition.name.value);
      return isObjectType(member) ? [this.output(member, selection.selectionSet)] : [];
    });
  }

  #leaf(type: GraphQLInputType | GraphQLOutputType, isAnswered = false): JsonSchema {
    if (isEnumType(type)) {
      const words = type.getValues().map((value) => value.name);
      return this.#named.refer(type.name, { type: 'string', ...describe(meaningOf(type)), enum: words });
    }
    if (!('name' in type)) return {};
    const { openapi = {}, answered = openapi } = type.extensions as Record<string, JsonSchema>;
    const written = scalarSchemas[type.name] ?? (isAnswered ? answered : openapi);
    return 'enum' in written ? this.#named.refer(type.name, written) : written;
  }
}
