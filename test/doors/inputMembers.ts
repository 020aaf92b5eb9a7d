import type { GraphQLField, GraphQLInputType, GraphQLOutputType, ValueNode } from 'graphql';
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
} from 'graphql';
import type { PreparedRoute } from '../../rest/handler.ts';
import type { Json } from '../harness/client.ts';

/** Whatever a request may have, found in the schema. */

/** What is there of a sound request at a place that the schema has. */
export interface Member {
  /** As refusals name it: `passengers.0.given_name`. */
  readonly field: string;
  readonly type: GraphQLInputType;
  readonly value: Json;
}

export type OperationKind = 'query' | 'mutation' | 'subscription';

export interface Input {
  readonly name: string;
  readonly type: GraphQLInputType;
}

/**
 * All members of a request, those within others and the first of every list among them.
 * @throws Error for one that the sound request does not have: nothing could be tried there
 */
export function membersOf(inputs: readonly Input[], sound: Json, parent = ''): Member[] {
  return inputs.flatMap(({ name, type }) => {
    const field = `${parent}${name}`;
    const value = sound[name];
    if (value === undefined || value === null) throw new Error(`the sound request has no ${field}: add it`);
    return [{ field, type, value }, ...partsOf(type, value, field)];
  });
}

function partsOf(type: GraphQLInputType, value: Json, field: string): Member[] {
  const nullable = getNullableType(type);
  if (isInputObjectType(nullable)) return membersOf(Object.values(nullable.getFields()), value, `${field}.`);
  if (!isListType(nullable)) return [];
  const [first] = value;
  if (first === undefined) throw new Error(`the sound request has nothing in ${field}: add one`);
  const item = { field: `${field}.0`, type: nullable.ofType as GraphQLInputType, value: first };
  return [item, ...partsOf(item.type, first, item.field)];
}

/** A request with another value at one place. */
export function withValue(request: Json, field: string, value: unknown): Json {
  const [name = '', ...rest] = field.split('.');
  const changed = Array.isArray(request) ? [...request] : { ...request };
  changed[name as never] = (
    rest.length === 0 ? value : withValue(request[name], rest.join('.'), value)
  ) as never;
  return changed;
}

/** The values of a route's variables, of those that the arguments of its operation have in a sound request. */
export function variablesFrom({ root }: PreparedRoute, sound: Json): Json {
  const values: Json = {};
  const read = (node: ValueNode, value: Json): void => {
    if (value === undefined) return;
    if (node.kind === Kind.VARIABLE) values[node.name.value] = value;
    if (node.kind === Kind.OBJECT) for (const one of node.fields) read(one.value, value[one.name.value]);
    if (node.kind === Kind.LIST) for (const [index, one] of node.values.entries()) read(one, value[index]);
  };
  for (const { name, value } of root.node.arguments ?? []) read(value, sound[name.value]);
  return values;
}

/** All of what a type answers, down to a depth that no type of this schema goes beyond. */
function selectionOf(type: GraphQLOutputType, depth = 8): string {
  const named = getNamedType(type);
  if (isUnionType(named)) {
    const kinds = named.getTypes().map((one) => `... on ${one.name} ${selectionOf(one, depth - 1)}`);
    return `{ ${kinds.join(' ')} }`;
  }
  if (!isObjectType(named)) return '';
  if (depth === 0) throw new Error(`${named.name} goes too deep`);
  const fields = Object.values(named.getFields());
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(field.type, depth - 1)}`).join(' ')} }`;
}

/** A document that takes all arguments of an operation, and asks for all that it answers. */
export function documentOf(
  kind: OperationKind,
  { name, args, type }: GraphQLField<unknown, unknown>,
): string {
  const declared = args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const called = args.length === 0 ? name : `${name}(${passed})`;
  return `${kind} ${args.length === 0 ? '' : `(${declared})`} { answer: ${called} ${selectionOf(type)} }`;
}
