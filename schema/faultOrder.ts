import type { GraphQLInputType } from 'graphql';
import { getNamedType, isInputObjectType } from 'graphql';
import type { FieldFault } from '../src/errors.ts';

interface Declared {
  readonly name: string;
  readonly type: GraphQLInputType;
}

/**
 * Fields in the order of the variables, or arguments, that they are of, and of the members that their types declare. What is
 * of none of them comes last, as it comes.
 */
export function inOrder<Fault extends FieldFault>(
  faults: readonly Fault[],
  declared: readonly Declared[],
): Fault[] {
  return faults
    .map((fault) => ({ fault, place: placeOf(fault.field, declared) }))
    .sort((one, other) => compare(one.place, other.place))
    .map(({ fault }) => fault);
}

function placeOf(field: string, declared: readonly Declared[]): number[] {
  const [first, ...members] = field.split('.');
  const index = declared.findIndex(({ name }) => name === first);
  if (index < 0) return [declared.length];
  let type: unknown = getNamedType(declared[index]?.type);
  const place = [index];
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
