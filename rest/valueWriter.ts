import type { GraphQLOutputType, SelectionSetNode } from 'graphql';
import { getNullableType, isListType, isNonNullType, isObjectType } from 'graphql';
import type { BodyText } from './bodyText.ts';
import { membersOf, valueText } from './valueText.ts';

/** Writes a value as JSON. @throws Error for null where the schema has none, or a value that is not of its type. */
export type ValueWriter = (body: BodyText, value: unknown) => void;

/**
 * Compiles the selection of a route's document into what writes its value. The lists of what it answers are written
 * element by element, however long they are; all else is one text (see valueText).
 * @throws Error for a document that a route has no use for.
 */
export function valueWriter(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): ValueWriter {
  const nullable = getNullableType(type);
  const isList = isListType(nullable);
  if (!selections || !(isList || isObjectType(nullable))) return textWriter(type, selections, name);
  const write = isList
    ? listWriter(nullable.ofType, selections, name)
    : objectWriter(membersWriter(nullable, selections));
  return (body, value) => {
    if (value !== null && value !== undefined) write(body, value);
    else if (isNonNullType(type)) throw new Error(`${name} must not be null`);
    else body.text += 'null';
  };
}

function textWriter(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): ValueWriter {
  const textOf = valueText(type, selections, name);
  return (body, value) => {
    body.text += textOf(value, body.shared);
  };
}

function listWriter(
  elementType: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): ValueWriter {
  const textOf = valueText(elementType, selections, `${name}[]`);
  return (body, value) => {
    if (!Array.isArray(value)) throw new Error(`${name} is no list`);
    body.text += '[';
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) body.text += ',';
      body.text += textOf(value[index], body.shared);
      body.settle();
    }
    body.text += ']';
  };
}

const objectWriter =
  (writeMembers: ValueWriter): ValueWriter =>
  (body, value) => {
    body.text += '{';
    writeMembers(body, value);
    body.text += '}';
  };

/** Writes an object without its braces, for a body in which other members stand beside its own. */
export function membersWriter(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
): ValueWriter {
  const object = getNullableType(type);
  if (!isObjectType(object)) throw new Error(`${String(type)} has no members`);
  const members = membersOf(object, selections).map((member, index) => ({
    ...member,
    opening: `${index > 0 ? ',' : ''}${member.name}:`,
    write: valueWriter(member.type, member.selections, `${object.name}.${member.property}`),
  }));
  return (body, value) => {
    for (const { property, opening, isOmittable, write } of members) {
      const member = (value as Record<string, unknown>)[property];
      if (isOmittable && (member === null || member === undefined)) continue;
      body.text += opening;
      write(body, member);
    }
  };
}
