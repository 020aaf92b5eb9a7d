import { registerEnumType } from 'type-graphql';

/**
 * An enum of the schema, by the descriptions of its values, which are spelt as the domain spells them. Given the domain's
 * type it compiles only with a description for each of its values, and for no other.
 */
export function enumType<Value extends string>({
  name,
  description,
  values,
}: {
  readonly name: string;
  readonly description: string;
  readonly values: Readonly<Record<Value, string>>;
}): { readonly [Each in Value]: Each } {
  const entries = Object.entries<string>(values);
  const members = Object.fromEntries(entries.map(([value]) => [value, value]));
  const valuesConfig = Object.fromEntries(entries.map(([value, text]) => [value, { description: text }]));
  registerEnumType(members, { name, description, valuesConfig });
  return members as { readonly [Each in Value]: Each };
}
