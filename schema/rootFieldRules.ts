import type {
  DocumentNode,
  FieldNode,
  GraphQLArgument,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  ValueNode,
} from 'graphql';
import {
  GraphQLBoolean,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  OperationTypeNode,
  valueFromASTUntyped,
} from 'graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { isPermitted } from '../src/domain/admission.ts';
import { idempotencyKeyFaults } from '../src/domain/idempotency/once.ts';
import type { MessagedFault } from '../src/errors.ts';
import { faultsOf } from './argumentChecks.ts';
import { isCondition } from './conditions.ts';
import { inOrder } from './faultOrder.ts';
import { spellingOf } from './inputFaults.ts';
import { rulesOf } from './operation.ts';
import type { RootField } from './rootFields.ts';
import { rootFieldsOf } from './rootFields.ts';
import { defaultsOf } from './variableDefaults.ts';

/** What a request gives for the variables of an operation. */
export interface GivenVariables {
  /** By name; of those that are not of their types what is left. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Names of those that are not of their types. */
  readonly unsound: ReadonlySet<string>;
}

/**
 * What is wrong by the rules of an operation's root fields, whether its document gives their arguments by variables or by
 * literals: as it spells them, and in its order. Nothing is asked of a field that is skipped, or may be for all that is known.
 */
export function faultsByRules(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: GivenVariables,
  { gateway, idempotencyKey }: RequestContext,
): MessagedFault[] {
  const { asked, given } = askedOf(schema, document, operation, variables);
  const faults = asked.flatMap(({ node, field }) => {
    const spelling = spellingOf(node, field);
    const { sound, parts } = argumentsOf(node, field, given);
    const named = faultsOf(field, sound, gateway.platform, parts).map((fault) => ({
      ...fault,
      field: spelling(fault.field),
    }));
    return inOrder(named, givenBy(node, field));
  });
  // The header of a creation is no field of it, and comes after them.
  return asked.some(({ field }) => rulesOf(schema, operation.operation, field.name).creation)
    ? [...faults, ...idempotencyKeyFaults(idempotencyKey)]
    : faults;
}

/**
 * Whether an operation is closed to its caller, whose variables are not of their types: right ones would not open it. A query
 * is all or nothing, so one closed field closes it. Mutations are each done or refused by itself, so as long as one is open,
 * what is wrong is told.
 */
export function isClosed(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: GivenVariables,
  { caller }: RequestContext,
): boolean {
  const { asked } = askedOf(schema, document, operation, variables);
  const kind = operation.operation;
  const closed = asked.filter(({ field }) => !isPermitted(rulesOf(schema, kind, field.name), caller));
  return closed.length > 0 && (kind !== OperationTypeNode.MUTATION || closed.length === asked.length);
}

/** The root fields that an operation asks for, but for GraphQL's own, and its variables with their defaults. */
function askedOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { values, unsound }: GivenVariables,
): { asked: { node: FieldNode; field: RootField }[]; given: GivenVariables } {
  // As with values, what a client calls a variable must not be found where every object has it.
  const all = Object.assign(Object.create(null), defaultsOf(schema, operation), values);
  const given: GivenVariables = { values: all, unsound };
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const asked = rootFieldsOf(document, operation, (selection) => isIncluded(selection, given)).flatMap(
    (node) => {
      const field = fields[node.name.value];
      return field ? [{ node, field }] : [];
    },
  );
  return { asked, given };
}

/** Whether the conditions of a selection hold. One by a variable that is not of its type holds for nobody. */
function isIncluded({ directives = [] }: SelectionNode, given: GivenVariables): boolean {
  return directives.filter(isCondition).every(({ name, arguments: [condition] = [] }) => {
    if (!condition || !isSound(condition.value, given)) return false;
    const value = partsOf({ value: condition.value, type: GraphQLBoolean }, given.values);
    return value === (name.value === 'include');
  });
}

/** The arguments of a root field in the order in which the document gives them. */
const givenBy = ({ arguments: given = [] }: FieldNode, { args }: RootField): readonly GraphQLArgument[] =>
  given.flatMap(({ name }) => args.filter((one) => one.name === name.value));

/** What a root field's arguments are made of: all that is left of each, and those of them that are of their types. */
function argumentsOf(node: FieldNode, { args }: RootField, given: GivenVariables) {
  const parts: Record<string, unknown> = {};
  const sound: Record<string, unknown> = {};
  for (const argument of args) {
    const { name } = argument;
    const value = node.arguments?.find((one) => one.name.value === name)?.value;
    parts[name] = partsGivenTo(argument, value, given.values);
    if (!value || isSound(value, given)) sound[name] = parts[name];
  }
  return { sound, parts };
}

const partsGivenTo = (
  { type, defaultValue }: GraphQLArgument,
  value: ValueNode | undefined,
  values: GivenVariables['values'],
): unknown => (value ? partsOf({ value, type }, values) : defaultValue);

/** Whether all that the document takes from variables for a value is of their types. */
function isSound(value: ValueNode, given: GivenVariables): boolean {
  if (value.kind === Kind.VARIABLE) return !given.unsound.has(value.name.value);
  if (value.kind === Kind.OBJECT) return value.fields.every((member) => isSound(member.value, given));
  return value.kind !== Kind.LIST || value.values.every((item) => isSound(item, given));
}

interface TypedValue {
  readonly value: ValueNode;
  readonly type: GraphQLInputType;
}

/** An argument's value, made of those of variables. */
function partsOf({ value, type }: TypedValue, values: GivenVariables['values']): unknown {
  if (value.kind === Kind.VARIABLE) return values[value.name.value];
  if (value.kind === Kind.NULL) return null;
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    // GraphQL takes one for a list of one.
    const items = value.kind === Kind.LIST ? value.values : [value];
    return items.map((item) => partsOf({ value: item, type: nullable.ofType }, values));
  }
  if (!isInputObjectType(nullable) || value.kind !== Kind.OBJECT) return valueFromASTUntyped(value);
  const given = new Map(value.fields.map((member) => [member.name.value, member.value]));
  return Object.fromEntries(
    Object.values(nullable.getFields()).flatMap(({ name, type: memberType, defaultValue }) => {
      const member = given.get(name);
      if (member) return [[name, partsOf({ value: member, type: memberType }, values)]];
      return defaultValue === undefined ? [] : [[name, defaultValue]];
    }),
  );
}
