import type { GraphQLSchema } from 'graphql';
import { registerEnumType } from 'type-graphql';

/** What bad values of enums are refused with, by their names: TypeGraphQL takes no extensions of enums. */
const badValues = new Map<string, string>();

/**
 * An enum of the schema, by the descriptions of its values, which are spelt as the domain spells them. Given the domain's
 * type it compiles only with a description for each of its values, and for no other.
 */
export function enumType<Value extends string>({
  name,
  description,
  values,
  badValue,
}: {
  readonly name: string;
  readonly description: string;
  readonly values: Readonly<Record<Value, string>>;
  /** What a bad value is refused with, where SPEC has a message of its own for it. */
  readonly badValue?: string;
}): { readonly [Each in Value]: Each } {
  const entries = Object.entries<string>(values);
  const members = Object.fromEntries(entries.map(([value]) => [value, value]));
  const valuesConfig = Object.fromEntries(entries.map(([value, text]) => [value, { description: text }]));
  if (badValue !== undefined) badValues.set(name, badValue);
  registerEnumType(members, { name, description, valuesConfig });
  return members as { readonly [Each in Value]: Each };
}

/** Has the enums of a schema keep what bad values of theirs are refused with, as its scalars do. */
export function tellBadValues(schema: GraphQLSchema): void {
  for (const [name, badValue] of badValues) {
    const type = schema.getType(name);
    if (type) type.extensions = { ...type.extensions, badValue };
  }
}
