import type {
  FieldNode,
  GraphQLArgument,
  GraphQLField,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
  ValueNode,
} from 'graphql';
import { getNullableType, isInputObjectType, isListType, Kind, valueFromASTUntyped } from 'graphql';
import type { OperationRules, RequestContext } from '../src/domain/admission.ts';
import { keyFaults } from '../src/domain/idempotency/once.ts';
import type { ArgumentCheck, PartsCheck, RuledFault } from './argumentChecks.ts';
import { argumentOf, checksOf, faultsBy, faultsByParts } from './argumentChecks.ts';
import type { Spelling } from './inputFaults.ts';
import { spellingOf } from './inputFaults.ts';
import { defaultsOf } from './variableDefaults.ts';

/** What is asked of a variable because an argument takes its value from it, or another of the same field. */
export interface VariableCheck {
  /** Whether it is asked of what is left of values that are not of their types; else of sound ones alone. */
  readonly ofParts: boolean;
  /** @returns the faults, as the document spells the fields. */
  faultsIn(values: Readonly<Record<string, unknown>>, context: RequestContext): RuledFault[];
}

/** The checks of an operation's variables by their names. */
export function variableChecks(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): Map<string, VariableCheck[]> {
  const found = new Map<string, VariableCheck[]>();
  const add = (variable: string, check: VariableCheck) =>
    found.set(variable, [...(found.get(variable) ?? []), check]);
  let creates = false;
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  for (const node of operation.selectionSet.selections) {
    if (node.kind !== Kind.FIELD) continue;
    const field = fields[node.name.value];
    if (!field) continue;
    creates ||= isCreation(field);
    const { checks, checksOfParts } = checksOf(field);
    const spelling = spellingOf(node, field);
    const variables = variablesIn(node);
    for (const [argument, variable] of variables) {
      const check = checks[argument];
      if (check) add(variable, checkOf(check, argument, variables, spelling));
    }
    const [first] = (node.arguments ?? []).flatMap(({ value }) => firstVariableIn(value) ?? []);
    if (first === undefined) continue;
    for (const [name, check] of Object.entries(checksOfParts)) {
      const value = valueGivenTo(name, node);
      const variable = (value && firstVariableIn(value)) ?? first;
      const argument = argumentOf(field, name);
      add(variable, checkOfParts(check, argument, { schema, operation, node, field }, spelling));
    }
  }
  const last = operation.variableDefinitions?.at(-1);
  if (last && creates) add(last.variable.name.value, checkOfKey);
  return found;
}

/** Arguments that are nothing but a variable, with its name. */
function variablesIn({ arguments: given = [] }: FieldNode): [argument: string, variable: string][] {
  return given.flatMap(({ name, value }) =>
    value.kind === Kind.VARIABLE ? [[name.value, value.name.value]] : [],
  );
}

function firstVariableIn(value: ValueNode): string | undefined {
  if (value.kind === Kind.VARIABLE) return value.name.value;
  const members =
    value.kind === Kind.OBJECT
      ? value.fields.map((member) => member.value)
      : value.kind === Kind.LIST
        ? value.values
        : [];
  for (const member of members) {
    const name = firstVariableIn(member);
    if (name !== undefined) return name;
  }
  return undefined;
}

const isCreation = ({ extensions }: GraphQLField<unknown, unknown>): boolean =>
  Boolean((extensions.operation as OperationRules | undefined)?.creation);

/** The header of a creation is no field of it, and comes after them. */
const checkOfKey: VariableCheck = {
  ofParts: true,
  faultsIn: (_values, { idempotencyKey }) => keyFaults(idempotencyKey),
};

const speltIn =
  (spelling: Spelling) =>
  (fault: RuledFault): RuledFault => ({ ...fault, field: spelling(fault.field) });

function checkOf(
  check: ArgumentCheck,
  argument: string,
  variables: readonly [string, string][],
  spelling: Spelling,
): VariableCheck {
  return {
    ofParts: false,
    faultsIn(values, { gateway }) {
      const sound = Object.fromEntries(variables.map(([name, source]) => [name, values[source]]));
      return faultsBy(check, argument, sound, gateway.platform).map(speltIn(spelling));
    },
  };
}

interface GivenField {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

function checkOfParts(
  check: PartsCheck,
  argument: GraphQLArgument,
  { schema, operation, node, field }: GivenField,
  spelling: Spelling,
): VariableCheck {
  return {
    ofParts: true,
    faultsIn(values, { gateway }) {
      const all = { ...defaultsOf(schema, operation), ...values };
      const given = Object.fromEntries(field.args.map((one) => [one.name, partsGivenTo(one, node, all)]));
      return faultsByParts(check, argument, given, gateway.platform).map(speltIn(spelling));
    },
  };
}

const valueGivenTo = (argument: string, { arguments: given = [] }: FieldNode): ValueNode | undefined =>
  given.find(({ name }) => name.value === argument)?.value;

function partsGivenTo(
  { name, type, defaultValue }: GraphQLArgument,
  node: FieldNode,
  values: Readonly<Record<string, unknown>>,
): unknown {
  const value = valueGivenTo(name, node);
  return value ? partsOf({ value, type }, values) : defaultValue;
}

interface TypedValue {
  readonly value: ValueNode;
  readonly type: GraphQLInputType;
}

/** An argument's value, made of those of variables. */
function partsOf({ value, type }: TypedValue, values: Readonly<Record<string, unknown>>): unknown {
  if (value.kind === Kind.VARIABLE) return values[value.name.value];
  if (value.kind === Kind.NULL) return null;
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    // GraphQL takes one for a list of one.
    const items = value.kind === Kind.LIST ? value.values : [value];
    return items.map((item) => partsOf({ value: item, type: nullable.ofType }, values));
  }
  if (!isInputObjectType(nullable) || value.kind !== Kind.OBJECT) return valueFromASTUntyped(value);
  const members = nullable.getFields();
  return Object.fromEntries(
    value.fields.flatMap((member) => {
      const name = member.name.value;
      const memberType = members[name]?.type;
      return memberType ? [[name, partsOf({ value: member.value, type: memberType }, values)]] : [];
    }),
  );
}
