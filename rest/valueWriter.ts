import type {
  GraphQLEnumType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLScalarType,
  GraphQLUnionType,
  SelectionSetNode,
} from 'graphql';
import {
  GraphQLID,
  GraphQLString,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
  Kind,
} from 'graphql';
import { sharedPartOf } from '../schema/sharedPart.ts';
import type { Write } from '../src/infrastructure/json/write.ts';
import { writeBytes, writeJson, writeText } from '../src/infrastructure/json/write.ts';
import type { Member } from './selectedMembers.ts';
import { membersOf, runsOf } from './selectedMembers.ts';
import { WriteSource } from './writeSource.ts';

/** A place in a document. */
interface Selected {
  readonly type: GraphQLOutputType;
  readonly selections: SelectionSetNode | undefined;
  /** For messages: `OfferSlice.duration`. */
  readonly name: string;
  /** Whether it is a member of objects, which several of them may have in common. */
  readonly isMember?: boolean;
}

/**
 * Compiles a selection of a route's document into what writes the values of its type, straight from the domain's
 * objects: aliases are the members' names, @omitNull leaves a member out, and all fields are plain properties. What is
 * compiled throws an Error for null where the schema has none, or a value that is not of its type.
 * @throws Error for a field with a resolver of its own, or a selection that a route has no use for.
 */
export function valueWriter(selected: Selected): Write {
  const source = new WriteSource();
  addValue(source, selected, 'value');
  return source.compile();
}

/** Writes an object without its braces, for a body in which other members stand beside its own. */
export function membersWriter({ type, selections }: Selected): Write {
  const object = getNullableType(type);
  if (!isObjectType(object)) throw new Error(`${String(type)} has no members`);
  const source = new WriteSource();
  addMembers(source, object, selections);
  return source.compile();
}

/** Source text of whether a value is missing; it is `leaf` from then on. */
const isNull = (value: string) => `(leaf = ${value}) === null || leaf === undefined`;

/** Adds what writes a value, given as source text. */
function addValue(source: WriteSource, selected: Selected, value: string): void {
  const { type, name } = selected;
  const addPresent = () => addLeaf(source, { ...selected, type: getNullableType(type) });
  if (isNonNullType(type)) {
    const refuse = () => {
      throw new Error(`${name} must not be null`);
    };
    source.statement(`if (${isNull(value)}) ${source.nameOf(refuse)}();`);
    addPresent();
  } else source.either(isNull(value), () => source.constant('null'), addPresent);
}

/** Adds what writes `leaf`, which is there. */
function addLeaf(source: WriteSource, selected: Selected): void {
  const { type, selections, name, isMember } = selected;
  if (isEnumType(type)) addQuoted(source, () => source.call(enumWrite(type, name), 'leaf'));
  else if (isScalarType(type)) addScalar(source, type, name);
  // What a list of scalars takes to be found, it takes to be written.
  else if (isMember && selections) addRepeated(source, partWriter(selected), 'leaf');
  else source.call(partWriter(selected), 'leaf');
}

/** What writes a value that has parts. */
function partWriter({ type, selections, name }: Selected): Write {
  if (isListType(type)) return listWrite({ type: type.ofType, selections, name });
  if (isUnionType(type)) return unionWrite(type, selections, name);
  if (isObjectType(type)) return objectWrite(type, selections);
  throw new Error(`${name}: a route cannot select ${String(type)}`);
}

function addQuoted(source: WriteSource, addText: () => void): void {
  source.constant('"');
  addText();
  source.constant('"');
}

function addScalar(source: WriteSource, type: GraphQLScalarType, name: string): void {
  if (!isTextScalar(type)) {
    source.call(scalarWrite(type), 'leaf');
    return;
  }
  const serialized = () => source.call(textWrite(type, name), 'leaf');
  const verbatim = () => source.statement('at = writeText(leaf, at, room);');
  addQuoted(source, () =>
    isVerbatimScalar(type) ? source.either("typeof leaf === 'string'", verbatim, serialized) : serialized(),
  );
}

let repeatedMembers = 0;

/**
 * Adds what writes a value, or copies it from where it stands already, such as the airports of flights.
 * @param key source text of what is the same object where the same is to be written
 * @param isShared whether the same is known to come back; else it is looked for as long as some do
 */
function addRepeated(source: WriteSource, write: Write, value: string, key = value, isShared = false): void {
  const member = repeatedMembers;
  repeatedMembers += 1;
  const written = `${source.nameOf(write)}(${value}, at, room)`;
  source.statement(`if ((end = room.repeat(${member}, ${key}, at)) >= 0) at = end;
    else at = room.keep(${member}, ${key}, at, ${written}, ${isShared});`);
}

/** Scalars whose values are JSON strings, as OpenAPI documents them. */
function isTextScalar(type: GraphQLScalarType): boolean {
  const { openapi } = type.extensions as { openapi?: { type?: unknown } };
  return type === GraphQLString || type === GraphQLID || openapi?.type === 'string';
}

/** Text scalars that serialise a string as it is. */
function isVerbatimScalar(type: GraphQLScalarType): boolean {
  return type === GraphQLString || type === GraphQLID || type.extensions.verbatim === true;
}

const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');

/** Between quotes that others write. */
function enumWrite(type: GraphQLEnumType, name: string): Write {
  const names = new Map<unknown, Buffer>(type.getValues().map((one) => [one.value, Buffer.from(one.name)]));
  return (value, at, room) => {
    const known = names.get(value);
    if (known === undefined) throw new Error(`${name} is no ${type.name}`);
    return writeBytes(known, at, room);
  };
}

/** Between quotes that others write. */
function textWrite(type: GraphQLScalarType, name: string): Write {
  return (value, at, room) => {
    const leaf = type.serialize(value);
    if (typeof leaf !== 'string') throw new Error(`${name} is no text`);
    return writeText(leaf, at, room);
  };
}

function scalarWrite(type: GraphQLScalarType): Write {
  return (value, at, room) => {
    const leaf = type.serialize(value);
    if (leaf === true) return writeBytes(trueBytes, at, room);
    if (leaf === false) return writeBytes(falseBytes, at, room);
    return typeof leaf === 'number'
      ? writeText(`${leaf}`, at, room)
      : writeJson(JSON.stringify(leaf), at, room);
  };
}

function listWrite({ type, selections, name }: Selected): Write {
  const source = new WriteSource();
  const refuse = source.nameOf(() => {
    throw new Error(`${name} is no list`);
  });
  source.statement(`if (!Array.isArray(value)) ${refuse}();`);
  source.constant('[');
  source.statement('for (let index = 0; index < value.length; index += 1) { if (index > 0) {');
  source.constant(',');
  source.statement('}');
  addValue(source, { type, selections, name: `${name}[]` }, 'value[index]');
  source.statement('}');
  source.constant(']');
  return source.compile();
}

function unionWrite(type: GraphQLUnionType, selections: SelectionSetNode | undefined, name: string): Write {
  const writes = new Map<string, Write>();
  for (const member of type.getTypes()) {
    const selection = selections?.selections.find(
      (one) => one.kind === Kind.INLINE_FRAGMENT && one.typeCondition?.name.value === member.name,
    );
    if (selection?.kind !== Kind.INLINE_FRAGMENT) throw new Error(`${name}: no ${member.name} selected`);
    writes.set(member.name, objectWrite(member, selection.selectionSet));
  }
  return (value, at, room) => {
    const { __typename: typeName } = value as { __typename: string };
    const write = writes.get(typeName);
    if (!write) throw new Error(`${name} must not be a ${typeName}`);
    return write(value, at, room);
  };
}

function objectWrite(type: GraphQLObjectType, selections: SelectionSetNode | undefined): Write {
  const source = new WriteSource();
  source.constant('{');
  addMembers(source, type, selections);
  source.constant('}');
  return source.compile();
}

function addMembers(
  source: WriteSource,
  type: GraphQLObjectType,
  selections: SelectionSetNode | undefined,
): void {
  const [first, ...others] = membersOf(type, selections);
  if (first) addMember(source, type, first, '');
  for (const { key, members } of runsOf(others, sharedPartOf(type))) {
    if (key) addSharedMembers(source, type, members, key);
    else for (const member of members) addMember(source, type, member, ',');
  }
}

/** Members that objects have in common with those that have the same part. */
function addSharedMembers(
  source: WriteSource,
  type: GraphQLObjectType,
  members: readonly Member[],
  key: symbol,
): void {
  const shared = new WriteSource();
  for (const member of members) addMember(shared, type, member, ',');
  const write = shared.compile();
  source.either(
    `(leaf = value[${source.nameOf(key)}]) === undefined`,
    () => source.call(write, 'value'),
    () => addRepeated(source, write, 'value', 'leaf', true),
  );
}

function addMember(
  source: WriteSource,
  { name: typeName }: GraphQLObjectType,
  member: Member,
  separator: string,
): void {
  const { property, type, isOmittable, selections } = member;
  const selected = { type, selections, name: `${typeName}.${property}`, isMember: true };
  const value = `value.${property}`;
  const opening = `${separator}${member.name}:`;
  if (!isOmittable) {
    source.constant(opening);
    addValue(source, selected, value);
    return;
  }
  source.statement(`if (!(${isNull(value)})) {`);
  source.constant(opening);
  addLeaf(source, { ...selected, type: getNullableType(type) });
  source.statement('}');
}
