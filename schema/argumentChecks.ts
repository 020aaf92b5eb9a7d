import type {
  FieldNode,
  GraphQLArgument,
  GraphQLField,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
  ValueNode,
} from 'graphql';
import {
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  valueFromASTUntyped,
} from 'graphql';
import { Extensions } from 'type-graphql';
import type { Platform } from '../src/domain/platform.ts';
import type { FieldFault } from '../src/errors.ts';
import { AppError } from '../src/errors.ts';
import type { Spelling } from './inputFaults.ts';
import { spellingOf } from './inputFaults.ts';
import { defaultsOf } from './variableDefaults.ts';

/** Arguments of a root field by name: those that are of their types. */
export type SoundArguments = Readonly<Record<string, unknown>>;

/** A rule about one argument, null where it may be that, which its type does not know. @throws AppError 400 naming what is wrong. */
export type ArgumentCheck = (value: never, others: SoundArguments, platform: Platform) => void;

/** A bad field, and the message of a refusal that it comes first in. */
export interface RuledFault extends FieldFault {
  readonly message?: string;
}

/**
 * The same for what is left of an argument: members that are not of their types are undefined, and so is one that may be
 * left out, and was; `others` is what is left of the other arguments. @returns what is wrong with the rest, named from the
 * argument on, `passengers.0.id`, or from its members on.
 */
export type PartsCheck = (parts: never, platform: Platform, others: SoundArguments) => readonly RuledFault[];

/**
 * Declares rules about the arguments of a root field that the domain holds itself to, so that they can be asked as well
 * where another argument is not even of its type: a refusal names every bad field (DESIGN §4, "Other bad input"). They
 * need nothing but the request and the settings.
 */
export function Checks(checks: Readonly<Record<string, ArgumentCheck>>): MethodDecorator {
  return Extensions({ checks }) as MethodDecorator;
}

/** The same for arguments with members: those that are of their types are looked at where others are not. */
export function ChecksOfParts(checksOfParts: Readonly<Record<string, PartsCheck>>): MethodDecorator {
  return Extensions({ checksOfParts }) as MethodDecorator;
}

/** What is asked of a variable because an argument takes its value from it, or another of the same field. */
export interface VariableCheck {
  /** Whether it is asked of what is left of values that are not of their types; else of sound ones alone. */
  readonly ofParts: boolean;
  /** @returns the faults, as the document spells the fields. */
  faultsIn(values: Readonly<Record<string, unknown>>, platform: Platform): RuledFault[];
}

/** The checks of an operation's variables by their names. */
export function variableChecks(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): Map<string, VariableCheck[]> {
  const found = new Map<string, VariableCheck[]>();
  const add = (variable: string, check: VariableCheck) =>
    found.set(variable, [...(found.get(variable) ?? []), check]);
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  for (const node of operation.selectionSet.selections) {
    if (node.kind !== Kind.FIELD) continue;
    const field = fields[node.name.value];
    if (!field) continue;
    const checks = (field.extensions.checks ?? {}) as Record<string, ArgumentCheck>;
    const checksOfParts = (field.extensions.checksOfParts ?? {}) as Record<string, PartsCheck>;
    const spelling = spellingOf(node, field);
    const variables = variablesIn(node);
    for (const [argument, variable] of variables) {
      const check = checks[argument];
      if (check) add(variable, checkOf(check, argument, variables, spelling));
    }
    const [first] = (node.arguments ?? []).flatMap(({ value }) => firstVariableIn(value) ?? []);
    if (first === undefined) continue;
    for (const [argument, check] of Object.entries(checksOfParts)) {
      const value = valueGivenTo(argument, node);
      const variable = (value && firstVariableIn(value)) ?? first;
      add(variable, checkOfParts(check, argument, { schema, operation, node, field }, spelling));
    }
  }
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

function checkOf(
  check: ArgumentCheck,
  argument: string,
  variables: readonly [string, string][],
  spelling: Spelling,
): VariableCheck {
  return {
    ofParts: false,
    faultsIn(values, platform) {
      const sound = Object.fromEntries(variables.map(([name, source]) => [name, values[source]]));
      try {
        check(sound[argument] as never, sound, platform);
        return [];
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'bad_request') throw error;
        const { message, details } = error;
        return ((details.errors ?? []) as FieldFault[]).map(({ field, type }) => ({
          field: spelling(field),
          type,
          message,
        }));
      }
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
  argument: string,
  { schema, operation, node, field }: GivenField,
  spelling: Spelling,
): VariableCheck {
  const isNeeded = field.args.some(({ name, type }) => name === argument && isNonNullType(type));
  return {
    ofParts: true,
    faultsIn(values, platform) {
      const all = { ...defaultsOf(schema, operation), ...values };
      const given = Object.fromEntries(field.args.map((one) => [one.name, partsGivenTo(one, node, all)]));
      const parts = given[argument] ?? undefined;
      if (parts === undefined && isNeeded) return [];
      return check(parts as never, platform, given).map((fault) => ({
        ...fault,
        field: spelling(fault.field),
      }));
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
