import type { GraphQLInputType } from 'graphql';
import { getNamedType, isInputObjectType } from 'graphql';
import type { FieldFault } from '../src/errors.ts';

interface OrderedVariable {
  readonly name: string;
  readonly type: GraphQLInputType;
}

/** Fields in the order in which the variables, and the members of their types, are declared. */
export function inOrder<Fault extends FieldFault>(
  faults: readonly Fault[],
  variables: readonly OrderedVariable[],
): Fault[] {
  return faults
    .map((fault) => ({ fault, place: placeOf(fault.field, variables) }))
    .sort((one, other) => compare(one.place, other.place))
    .map(({ fault }) => fault);
}

function placeOf(field: string, variables: readonly OrderedVariable[]): number[] {
  const [variable, ...members] = field.split('.');
  const index = variables.findIndex(({ name }) => name === variable);
  let type: unknown = getNamedType(variables[index]?.type);
  const place = [index < 0 ? variables.length : index];
  for (const member of members) {
    if (/^\d+$/.test(member)) {
      place.push(Number(member));
      continue;
    }
    const fields = isInputObjectType(type) ? type.getFields() : {};
    const names = Object.keys(fields);
    const position = names.indexOf(member);
    place.push(position < 0 ? names.length : position);
    type = getNamedType(fields[member]?.type);
  }
  return place;
}

/** What has members comes after them. */
function compare(one: readonly number[], other: readonly number[]): number {
  for (const [depth, place] of one.entries()) {
    const difference = place - (other[depth] ?? Number.POSITIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return other.length - one.length;
}
