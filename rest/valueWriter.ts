import type {
  GraphQLNamedOutputType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLScalarType,
  GraphQLUnionType,
  SelectionNode,
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
import { type SharedPart, sharedPartOf } from '../schema/sharedPart.ts';
import type { CompiledWrite } from './joinedWrites.ts';
import { JoinedWrites } from './joinedWrites.ts';
import type { Write } from './write.ts';
import { inQuotes, partWrite, sharedWrite, writeBytes, writeJson, writeText } from './write.ts';

/**
 * Compiles a selection of a route's document into what writes the values of its type, straight from the domain's
 * objects: aliases are the members' names, @omitNull leaves a member out, and all fields are plain properties. What is
 * compiled throws an Error for null where the schema has none, or a value that is not of its type.
 * @param name for messages: `OfferSlice.duration`.
 * @throws Error for a field with a resolver of its own, or a selection that a route has no use for.
 */
export function valueWriter(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): Write {
  const { write, isInQuotes } = compile(type, selections, name);
  return isInQuotes ? inQuotes(write) : write;
}

/** Writes an object without its braces, for a body in which other members stand beside its own. */
export function membersWriter(type: GraphQLOutputType, selections: SelectionSetNode | undefined): Write {
  const object = getNullableType(type);
  if (!isObjectType(object)) throw new Error(`${String(type)} has no members`);
  const joined = new JoinedWrites();
  joinMembers(joined, object, selections);
  return joined.compile();
}

function compile(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): CompiledWrite {
  const nullable = getNullableType(type);
  const isText = isEnumType(nullable) || (isScalarType(nullable) && isTextScalar(nullable));
  const isVerbatim = isScalarType(nullable) && isVerbatimScalar(nullable);
  const present = presentWrite(nullable, selections, name);
  if (isNonNullType(type)) {
    const write: Write = (value, bytes, at, shared) => {
      if (value === null || value === undefined) throw new Error(`${name} must not be null`);
      return present(value, bytes, at, shared);
    };
    return { write, isInQuotes: isText, isVerbatim };
  }
  const whole = isText ? inQuotes(present) : present;
  const write: Write = (value, bytes, at, shared) =>
    value === null || value === undefined
      ? writeBytes(nullBytes, bytes, at)
      : whole(value, bytes, at, shared);
  return { write, isInQuotes: false, isVerbatim };
}

const comma = 0x2c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const nullBytes = Buffer.from('null');
const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');

/** Scalars whose values are JSON strings, as OpenAPI documents them. */
function isTextScalar(type: GraphQLScalarType): boolean {
  const { openapi } = type.extensions as { openapi?: { type?: unknown } };
  return type === GraphQLString || type === GraphQLID || openapi?.type === 'string';
}

/** Text scalars that serialise a string as it is. */
function isVerbatimScalar(type: GraphQLScalarType): boolean {
  return type === GraphQLString || type === GraphQLID || type.extensions.verbatim === true;
}

function presentWrite(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): Write {
  if (isEnumType(type)) {
    const names = new Map<unknown, Buffer>(type.getValues().map((one) => [one.value, Buffer.from(one.name)]));
    return (value, bytes, at) => {
      const known = names.get(value);
      if (known === undefined) throw new Error(`${name} is no ${type.name}`);
      return writeBytes(known, bytes, at);
    };
  }
  if (isScalarType(type)) return scalarWrite(type, name);
  if (isListType(type)) return listWrite(type.ofType, selections, name);
  if (isUnionType(type)) return unionWrite(type, selections, name);
  if (isObjectType(type)) return objectWrite(type, selections);
  throw new Error(`${name}: a route cannot select ${String(type)}`);
}

function scalarWrite(type: GraphQLScalarType, name: string): Write {
  if (!isTextScalar(type)) {
    return (value, bytes, at) => {
      const leaf = type.serialize(value);
      if (leaf === true) return writeBytes(trueBytes, bytes, at);
      if (leaf === false) return writeBytes(falseBytes, bytes, at);
      return typeof leaf === 'number'
        ? writeText(`${leaf}`, bytes, at)
        : writeJson(JSON.stringify(leaf), bytes, at);
    };
  }
  return (value, bytes, at) => {
    const leaf = type.serialize(value);
    if (typeof leaf !== 'string') throw new Error(`${name} is no text`);
    return writeText(leaf, bytes, at);
  };
}

function listWrite(
  elementType: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): Write {
  const write = valueWriter(elementType, selections, `${name}[]`);
  return (value, bytes, start, shared) => {
    if (!Array.isArray(value)) throw new Error(`${name} is no list`);
    let at = start;
    bytes[at++] = openingBracket;
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) bytes[at++] = comma;
      at = write(value[index], bytes, at, shared);
    }
    bytes[at++] = closingBracket;
    return at;
  };
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
  return (value, bytes, at, shared) => {
    const { __typename: typeName } = value as { __typename: string };
    const write = writes.get(typeName);
    if (!write) throw new Error(`${name} must not be a ${typeName}`);
    return write(value, bytes, at, shared);
  };
}

function objectWrite(type: GraphQLObjectType, selections: SelectionSetNode | undefined): Write {
  const joined = new JoinedWrites();
  joined.add('{');
  joinMembers(joined, type, selections);
  joined.add('}');
  return joined.compile();
}

function joinMembers(
  joined: JoinedWrites,
  type: GraphQLObjectType,
  selections: SelectionSetNode | undefined,
): void {
  const [first, ...others] = membersOf(type, selections);
  if (first) joinMember(joined, type, first);
  for (const run of runsOf(others, sharedPartOf(type))) {
    const target = run.key ? new JoinedWrites() : joined;
    for (const member of run.members) {
      if (!member.isOmittable) target.add(',');
      joinMember(target, type, member);
    }
    if (run.key) joined.call(partWrite(target.compile(), run.key), 'value');
  }
}

function joinMember(joined: JoinedWrites, { name: typeName }: GraphQLObjectType, member: Member): void {
  const { property, name, isOmittable, selections } = member;
  const compiled = compile(member.type, selections, `${typeName}.${property}`);
  const { write, isInQuotes } = compiled;
  const argument = `value.${property}`;
  if (isOmittable) {
    const opening = Buffer.from(`,${name}:`);
    joined.call(
      (value, bytes, at, shared) =>
        value === null || value === undefined
          ? at
          : write(value, bytes, writeBytes(opening, bytes, at), shared),
      argument,
    );
    return;
  }
  const quotes = isInQuotes ? '"' : '';
  joined.add(`${name}:${quotes}`);
  if (compiled.isVerbatim) joined.callUnlessVerbatim(compiled, argument);
  else joined.call(selections ? sharedWrite(write) : write, argument);
  joined.add(quotes);
}

/** Members in their order, those of the shared part apart from the others. */
function runsOf(members: readonly Member[], part: SharedPart | null) {
  const runs: { key: symbol | null; members: Member[] }[] = [];
  for (const member of members) {
    const key = part && !part.besides.includes(member.property) ? part.key : null;
    const run = runs.at(-1);
    if (run && run.key === key) run.members.push(member);
    else runs.push({ key, members: [member] });
  }
  return runs;
}

interface Member {
  /** Of the domain's object. */
  readonly property: string;
  /** In the response, in quotes. */
  readonly name: string;
  /** Left out when it is null. */
  readonly isOmittable: boolean;
  readonly type: GraphQLOutputType;
  readonly selections: SelectionSetNode | undefined;
}

/** What a selection asks of an object. */
function membersOf(type: GraphQLNamedOutputType, selections: SelectionSetNode | undefined): Member[] {
  const members = (selections?.selections ?? []).map((selection) => memberOf(type, selection));
  const names = new Set(members.map(({ name }) => name));
  if (names.size < members.length) throw new Error(`${type.name}: a member stands twice`);
  if (members[0]?.isOmittable !== false)
    throw new Error(`${type.name}: the first member must always be there`);
  return members;
}

function memberOf(type: GraphQLNamedOutputType, selection: SelectionNode): Member {
  if (selection.kind !== Kind.FIELD || !isObjectType(type))
    throw new Error(`${type.name}: a route has no use for fragments here`);
  const property = selection.name.value;
  const field = type.getFields()[property];
  if (!field || field.resolve) throw new Error(`${type.name}.${property} is not a plain property`);
  const directives = (selection.directives ?? []).map((directive) => directive.name.value);
  if (directives.some((directive) => directive !== 'omitNull'))
    throw new Error(`${type.name}.${property}: a route has no use for @${directives.join(' @')}`);
  return {
    property,
    name: JSON.stringify(selection.alias?.value ?? property),
    isOmittable: directives.length > 0,
    type: field.type,
    selections: selection.selectionSet,
  };
}
