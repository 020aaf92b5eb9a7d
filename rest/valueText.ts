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
import { inQuotes, jsonText } from './bodyText.ts';
import type { CompiledText, TextOf } from './joinedText.ts';
import { JoinedText, partText, sharedText } from './joinedText.ts';

/**
 * Compiles a selection of a route's document into what writes the values of its type, straight from the domain's
 * objects: aliases are the members' names, @omitNull leaves a member out, and all fields are plain properties.
 * @param name for messages: `OfferSlice.duration`.
 * @throws Error for a field with a resolver of its own, or a selection that a route has no use for.
 */
export function valueText(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): TextOf {
  const { textOf, isInQuotes } = compile(type, selections, name);
  return isInQuotes ? (value, shared) => `"${textOf(value, shared)}"` : textOf;
}

function compile(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): CompiledText {
  const nullable = getNullableType(type);
  const isText = isEnumType(nullable) || (isScalarType(nullable) && isTextScalar(nullable));
  const isVerbatim = isScalarType(nullable) && isVerbatimScalar(nullable);
  const present = presentText(nullable, selections, name);
  if (isNonNullType(type)) {
    const textOf: TextOf = (value, shared) => {
      if (value === null || value === undefined) throw new Error(`${name} must not be null`);
      return present(value, shared);
    };
    return { textOf, isInQuotes: isText, isVerbatim };
  }
  const textOf: TextOf = (value, shared) => {
    if (value === null || value === undefined) return 'null';
    return isText ? `"${present(value, shared)}"` : present(value, shared);
  };
  return { textOf, isInQuotes: false, isVerbatim };
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

function presentText(
  type: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): TextOf {
  if (isEnumType(type)) {
    const names = new Map<unknown, string>(type.getValues().map((one) => [one.value, one.name]));
    return (value) => {
      const text = names.get(value);
      if (text === undefined) throw new Error(`${name} is no ${type.name}`);
      return text;
    };
  }
  if (isScalarType(type)) return scalarText(type, name);
  if (isListType(type)) return listText(type.ofType, selections, name);
  if (isUnionType(type)) return unionText(type, selections, name);
  if (isObjectType(type)) return objectText(type, selections);
  throw new Error(`${name}: a route cannot select ${String(type)}`);
}

function scalarText(type: GraphQLScalarType, name: string): TextOf {
  if (!isTextScalar(type)) {
    return (value) => {
      const leaf = type.serialize(value);
      return typeof leaf === 'number' || typeof leaf === 'boolean' ? `${leaf}` : jsonText(leaf);
    };
  }
  return (value) => {
    const leaf = type.serialize(value);
    if (typeof leaf !== 'string') throw new Error(`${name} is no text`);
    return inQuotes(leaf);
  };
}

function listText(
  elementType: GraphQLOutputType,
  selections: SelectionSetNode | undefined,
  name: string,
): TextOf {
  const textOf = valueText(elementType, selections, `${name}[]`);
  return (value, shared) => {
    if (!Array.isArray(value)) throw new Error(`${name} is no list`);
    let text = '[';
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) text += ',';
      text += textOf(value[index], shared);
    }
    return `${text}]`;
  };
}

function unionText(type: GraphQLUnionType, selections: SelectionSetNode | undefined, name: string): TextOf {
  const texts = new Map<string, TextOf>();
  for (const member of type.getTypes()) {
    const selection = selections?.selections.find(
      (one) => one.kind === Kind.INLINE_FRAGMENT && one.typeCondition?.name.value === member.name,
    );
    if (selection?.kind !== Kind.INLINE_FRAGMENT) throw new Error(`${name}: no ${member.name} selected`);
    texts.set(member.name, objectText(member, selection.selectionSet));
  }
  return (value, shared) => {
    const { __typename: typeName } = value as { __typename: string };
    const textOf = texts.get(typeName);
    if (!textOf) throw new Error(`${name} must not be a ${typeName}`);
    return textOf(value, shared);
  };
}

function objectText(type: GraphQLObjectType, selections: SelectionSetNode | undefined): TextOf {
  const joined = new JoinedText();
  joined.add('{');
  const [first, ...others] = membersOf(type, selections);
  if (first) joinMember(joined, type, first);
  for (const run of runsOf(others, sharedPartOf(type))) {
    const target = run.key ? new JoinedText() : joined;
    for (const member of run.members) {
      if (!member.isOmittable) target.add(',');
      joinMember(target, type, member);
    }
    if (run.key) joined.call(partText(target.compile(), run.key), 'value');
  }
  joined.add('}');
  return joined.compile();
}

function joinMember(joined: JoinedText, { name: typeName }: GraphQLObjectType, member: Member): void {
  const { property, name, isOmittable, selections } = member;
  const compiled = compile(member.type, selections, `${typeName}.${property}`);
  const { textOf, isInQuotes } = compiled;
  const argument = `value.${property}`;
  if (isOmittable) {
    const opening = `,${name}:`;
    const text: TextOf = (value, shared) =>
      value === null || value === undefined ? '' : opening + textOf(value, shared);
    joined.call(text, argument);
    return;
  }
  const quote = isInQuotes ? '"' : '';
  joined.add(`${name}:${quote}`);
  if (compiled.isVerbatim) joined.callUnlessVerbatim(compiled, argument);
  else joined.call(selections ? sharedText(textOf) : textOf, argument);
  joined.add(quote);
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

export interface Member {
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
export function membersOf(type: GraphQLNamedOutputType, selections: SelectionSetNode | undefined): Member[] {
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
