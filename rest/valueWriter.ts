import type {
  GraphQLLeafType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLUnionType,
  SelectionSetNode,
} from 'graphql';
import {
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
} from 'graphql';
import { type BodyText, jsonText, quoted, SharedTexts } from './bodyText.ts';

/** Writes a value as JSON. @throws Error for null where the schema has none, or a value that is not of its type. */
export type ValueWriter = (body: BodyText, value: unknown) => void;

/**
 * Where a value stands: by itself; as or in an element of a list; or below one, where several elements may share it.
 * Only what stands by itself is written piece by piece: the rest is kept together.
 */
type Place = 'alone' | 'element' | 'below';

export interface Site {
  readonly place: Place;
  /** For messages: `OfferSlice.duration`. */
  readonly name: string;
  readonly slots: Slots;
}

/** Counts the members that may be shared, each of which has its texts at a place of its own in a body. */
interface Slots {
  count: number;
}

/**
 * Compiles the selection of a route's document into what writes the values of its type, straight from the domain's
 * objects: aliases are the members' names, @omitNull leaves a member out, and all fields are plain properties.
 * @throws Error for a field with a resolver of its own, or a selection that a route has no use for.
 */
export function valueWriter(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  site: Site,
): ValueWriter {
  const write = presentValueWriter(type, selections, site);
  const isRequired = isNonNullType(type);
  return (body, value) => {
    if (value !== null && value !== undefined) write(body, value);
    else if (isRequired) throw new Error(`${site.name} must not be null`);
    else body.text += 'null';
  };
}

function presentValueWriter(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  site: Site,
): ValueWriter {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return listWriter(nullable.ofType, selections, site);
  if (isLeafType(nullable)) return leafWriter(nullable);
  if (isUnionType(nullable)) return unionWriter(nullable, selections, site);
  if (isObjectType(nullable)) return objectWriter(nullable, selections, site);
  throw new Error(`${site.name}: a route cannot select ${String(type)}`);
}

function leafWriter(type: GraphQLLeafType): ValueWriter {
  if (isEnumType(type)) {
    return (body, value) => {
      body.text += `"${type.serialize(value)}"`;
    };
  }
  return (body, value) => {
    const leaf = type.serialize(value);
    if (typeof leaf === 'string') body.text += quoted(leaf);
    else if (typeof leaf === 'number' || typeof leaf === 'boolean') body.text += leaf;
    else body.text += jsonText(leaf);
  };
}

function listWriter(
  elementType: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  { place, name, slots }: Site,
): ValueWriter {
  const write = valueWriter(elementType, selections, {
    place: place === 'alone' ? 'element' : place,
    name: `${name}[]`,
    slots,
  });
  return (body, value) => {
    if (!Array.isArray(value)) throw new Error(`${name} must be a list`);
    body.text += '[';
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) body.text += ',';
      write(body, value[index]);
      if (place === 'alone') body.settle();
    }
    body.text += ']';
  };
}

function unionWriter(
  type: GraphQLUnionType,
  selections: SelectionSetNode | undefined,
  site: Site,
): ValueWriter {
  const writers = new Map<string, ValueWriter>();
  for (const member of type.getTypes()) {
    const selection = selections?.selections.find(
      (one) => one.kind === Kind.INLINE_FRAGMENT && one.typeCondition?.name.value === member.name,
    );
    if (selection?.kind !== Kind.INLINE_FRAGMENT) throw new Error(`${site.name}: no ${member.name} selected`);
    writers.set(member.name, objectWriter(member, selection.selectionSet, site));
  }
  return (body, value) => {
    const { __typename: name } = value as { __typename: string };
    const write = writers.get(name);
    if (!write) throw new Error(`${site.name} must not be a ${name}`);
    write(body, value);
  };
}

function objectWriter(
  type: GraphQLObjectType,
  selections: SelectionSetNode | undefined,
  site: Site,
): ValueWriter {
  const write = membersWriter(type, selections, site);
  return (body, value) => {
    body.text += '{';
    write(body, value);
    body.text += '}';
  };
}

/** Writes an object without its braces, for a body in which other members stand beside its own. */
export function membersWriter(
  type: GraphQLObjectType,
  selections: SelectionSetNode | undefined,
  site: Site,
): ValueWriter {
  const members = membersOf(type, selections, site);
  return (body, value) => {
    let isFirst = true;
    for (const { property, name, isOmittable, write } of members) {
      const member = (value as Record<string, unknown>)[property];
      if (isOmittable && (member === null || member === undefined)) continue;
      body.text += isFirst ? name.first : name.next;
      isFirst = false;
      write(body, member);
    }
  };
}

interface Member {
  /** Of the domain's object. */
  readonly property: string;
  /** `"name":`, and `,"name":` after another member. */
  readonly name: { readonly first: string; readonly next: string };
  readonly isOmittable: boolean;
  readonly write: ValueWriter;
}

function membersOf(
  type: GraphQLObjectType,
  selections: SelectionSetNode | undefined,
  { place, slots }: Site,
): Member[] {
  const names = new Set<string>();
  return (selections?.selections ?? []).map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error(`${type.name}: a route has no use for fragments`);
    const property = selection.name.value;
    const field = type.getFields()[property];
    if (!field || field.resolve) throw new Error(`${type.name}.${property} is not a plain property`);
    const name = JSON.stringify(selection.alias?.value ?? property);
    if (names.has(name)) throw new Error(`${type.name}: ${name} stands twice`);
    names.add(name);
    const directives = (selection.directives ?? []).map((directive) => directive.name.value);
    if (directives.some((directive) => directive !== 'omitNull'))
      throw new Error(`${type.name}.${property}: a route has no use for @${directives.join(' @')}`);
    const site: Site = {
      place: place === 'alone' ? 'alone' : 'below',
      name: `${type.name}.${property}`,
      slots,
    };
    const write = valueWriter(field.type, selection.selectionSet, site);
    return {
      property,
      name: { first: `${name}:`, next: `,${name}:` },
      isOmittable: directives.length > 0,
      write: selection.selectionSet && place !== 'alone' ? sharedWriter(write, slots) : write,
    };
  });
}

/** What elements of a list have in common, such as their airports, is written once and then repeated. */
function sharedWriter(write: ValueWriter, slots: Slots): ValueWriter {
  const slot = slots.count;
  slots.count += 1;
  return (body, value) => {
    body.shared[slot] ??= new SharedTexts();
    body.shared[slot].write(body, value, write);
  };
}
