import type {
  DocumentNode,
  GraphQLInputType,
  GraphQLLeafType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import {
  GraphQLError,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  TypeInfo,
  typeFromAST,
  ValidationContext,
  valueFromAST,
} from 'graphql';
import type { RequestContext } from '../src/domain/admission.ts';
import { forbidden } from '../src/domain/admission.ts';
import type { AppError, MessagedFault } from '../src/errors.ts';
import { invalidParameters, mostFaults, refusalOf } from '../src/errors.ts';
import { inOrder } from './faultOrder.ts';
import type { GivenVariables } from './rootFieldRules.ts';
import { faultsByRules, isClosed } from './rootFieldRules.ts';

/**
 * Variables checked against their GraphQL types, for both doors: every bad field is collected, and the answer is the
 * documented message and the fields, never GraphQL's own wording.
 */

export interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly hasDefault: boolean;
  readonly defaultsToNull: boolean;
  /** Whether it may be left out, for there is a default, but not be null. */
  refusesNull(): boolean;
}

/** What an operation of a valid document takes. */
export interface OperationInput {
  readonly variables: readonly Variable[];
  /** Whether its caller may not run it, whatever the values of its variables. */
  isClosed(given: GivenVariables, context: RequestContext): boolean;
  /** Asked only to complete a refusal: what it is about is asked again by the domain. */
  faultsByRules(given: GivenVariables, context: RequestContext): MessagedFault[];
}

/** The variables that an operation of a valid document declares, and what is asked of them and of its literals. */
export function inputOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationInput {
  let neverNull: Set<string> | undefined;
  // Worked out with the first null: for the routes of REST, a start would wait 14 ms for it.
  const isNeverNull = (name: string) => {
    neverNull ??= neverNullIn(schema, document, operation);
    return neverNull.has(name);
  };
  const variables = (operation.variableDefinitions ?? []).map((definition): Variable => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType;
    return {
      name,
      type,
      hasDefault:
        definition.defaultValue !== undefined && valueFromAST(definition.defaultValue, type) !== undefined,
      defaultsToNull: definition.defaultValue?.kind === Kind.NULL,
      refusesNull: () => !isNonNullType(type) && isNeverNull(name),
    };
  });
  return {
    variables,
    isClosed: (given, context) => isClosed(schema, document, operation, given, context),
    faultsByRules: (given, context) => faultsByRules(schema, document, operation, given, context),
  };
}

/** Names of the variables that are used where null is no value. */
function neverNullIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Set<string> {
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => undefined);
  const usages = context.getRecursiveVariableUsages(operation);
  return new Set(usages.filter(({ type }) => isNonNullType(type)).map(({ node }) => node.name.value));
}

function requiredFault(field: string, message = invalidParameters): MessagedFault {
  return { field, type: 'required', message };
}

export interface CoercionOptions {
  /**
   * By GraphQL's a single value is taken for a list, and a member that is not documented is refused. By those that JSON APIs
   * have, a list must be a list, and what is not documented is passed over.
   */
  readonly rules: 'graphql' | 'json';
}

/**
 * The variables' values, with members that are not part of their types left out.
 * @throws AppError 400 with every bad field, the first hundred of them; the message is that of the first. 403 in place of
 * that for a caller to whom the operation is closed.
 */
export function coerceVariables(
  input: OperationInput,
  raw: Readonly<Record<string, unknown>>,
  options: CoercionOptions,
  context: RequestContext,
): Record<string, unknown> {
  const faults: MessagedFault[] = [];
  // A client may call a variable `constructor`: left out, it must not have the value that every object has there.
  const values: Record<string, unknown> = Object.create(null);
  for (const { name, type, hasDefault, defaultsToNull, refusesNull } of input.variables) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined;
    const value = given === undefined && defaultsToNull ? null : given;
    if (value === undefined && (hasDefault || !isNonNullType(type))) continue;
    if (value === null && refusesNull()) {
      faults.push(requiredFault(name));
      continue;
    }
    values[name] = coerce(value, type, name, faults, options);
  }
  if (faults.length > 0) throw refusalOfVariables(faults, input, values, context);
  return values;
}

function refusalOfVariables(
  faults: readonly MessagedFault[],
  input: OperationInput,
  values: Readonly<Record<string, unknown>>,
  context: RequestContext,
): AppError {
  const unsound = new Set(faults.map(({ field }) => field.split('.')[0] ?? ''));
  const given = { values, unsound };
  if (input.isClosed(given, context)) return forbidden();
  return refusalOf(withRules(faults, input, given, context));
}

/** The faults of types together with those against rules that can be asked all the same, in the order of the request. */
function withRules(
  faults: readonly MessagedFault[],
  { variables, faultsByRules: faultsIn }: OperationInput,
  given: GivenVariables,
  context: RequestContext,
): MessagedFault[] {
  const named = new Set(faults.map(({ field }) => field));
  const told = new Set<string>();
  /** Of root fields that share a variable each has the rules asked of it. */
  const isNew = ({ field, type }: MessagedFault) => told.size < told.add(`${field} ${type}`).size;
  const ruled = faultsIn(given, context)
    // What is not of its type may look left out to a rule.
    .filter(({ field }) => !named.has(field))
    .map(({ field, type, message = invalidParameters }) => ({ field, type, message }))
    .filter(isNew);
  if (ruled.length === 0) return [...faults];
  return inOrder([...faults, ...ruled], variables);
}

/** @param nullMessage what null is refused with: nothing is left out of a list, where it is a bad value as others are. */
function coerce(
  value: unknown,
  type: GraphQLInputType,
  field: string,
  faults: MessagedFault[],
  options: CoercionOptions,
  nullMessage = invalidParameters,
): unknown {
  if (faults.length >= mostFaults) return undefined;
  if (isNonNullType(type)) {
    if (value === undefined || value === null) {
      faults.push(requiredFault(field, nullMessage));
      return undefined;
    }
    return coerce(value, type.ofType, field, faults, options);
  }
  if (value === undefined || value === null) return value;
  if (isListType(type)) {
    const message = messageOf(type);
    if (!Array.isArray(value)) {
      if (options.rules === 'graphql') return [coerce(value, type.ofType, field, faults, options)];
      faults.push({ field, type: 'invalid', message });
      return undefined;
    }
    return value.map((item, index) =>
      coerce(item, type.ofType, `${field}.${index}`, faults, options, message),
    );
  }
  if (isInputObjectType(type)) return coerceObject(value, type, field, faults, options);
  return coerceLeaf(value, type as GraphQLLeafType, field, faults);
}

function coerceObject(
  value: unknown,
  type: GraphQLInputType & {
    getFields(): Record<string, { name: string; type: GraphQLInputType; defaultValue?: unknown }>;
  },
  field: string,
  faults: MessagedFault[],
  options: CoercionOptions,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push({ field, type: 'invalid', message: invalidParameters });
    return undefined;
  }
  const members = value as Record<string, unknown>;
  const fields = type.getFields();
  const values: Record<string, unknown> = {};
  for (const member of Object.values(fields)) {
    const given = Object.hasOwn(members, member.name) ? members[member.name] : undefined;
    if (given === undefined && member.defaultValue !== undefined) {
      // Compiled operations do not fill in the defaults of members.
      values[member.name] = member.defaultValue;
      continue;
    }
    if (given === undefined && !isNonNullType(member.type)) continue;
    values[member.name] = coerce(given, member.type, `${field}.${member.name}`, faults, options);
  }
  if (options.rules === 'graphql') {
    for (const name of Object.keys(members)) {
      if (!Object.hasOwn(fields, name) && faults.length < mostFaults) {
        faults.push({ field: `${field}.${name}`, type: 'unknown', message: invalidParameters });
      }
    }
  }
  return values;
}

function coerceLeaf(value: unknown, type: GraphQLLeafType, field: string, faults: MessagedFault[]): unknown {
  try {
    const parsed = type.parseValue(value);
    if (parsed !== undefined) return isEnumType(type) ? value : parsed;
  } catch (error) {
    // Which rule was broken is GraphQL's wording; the field and its documented message are ours. All else is a fault of ours.
    if (!(error instanceof GraphQLError)) throw error;
  }
  faults.push({ field, type: 'invalid', message: messageOf(type) });
  return undefined;
}

/** What SPEC has a bad value of a type refused with. */
export function messageOf(type: GraphQLInputType): string {
  const { badValue } = getNamedType(type).extensions;
  return (badValue as string | undefined) ?? invalidParameters;
}
