import type {
  FieldNode,
  GraphQLNamedOutputType,
  GraphQLOutputType,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';
import { isObjectType, Kind } from 'graphql';
import type { SharedPart } from '../schema/sharedPart.ts';

/** A field that a route's document selects of an object. */
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

/** What a member that a route's document selects is called in the response. */
export const memberName = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** Whether a member is left out when it is null, as @omitNull says. */
export const isOmittable = ({ directives = [] }: FieldNode): boolean =>
  directives.some(({ name }) => name.value === 'omitNull');

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
    name: JSON.stringify(memberName(selection)),
    isOmittable: isOmittable(selection),
    type: field.type,
    selections: selection.selectionSet,
  };
}

/** Members in their order, those of the shared part apart from the others. */
export function runsOf(members: readonly Member[], part: SharedPart | null) {
  const runs: { key: symbol | null; members: Member[] }[] = [];
  for (const member of members) {
    const key = part && !part.besides.includes(member.property) ? part.key : null;
    const run = runs.at(-1);
    if (run && run.key === key) run.members.push(member);
    else runs.push({ key, members: [member] });
  }
  return runs;
}
