import type { FieldNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { Kind } from 'graphql';
import { Extensions } from 'type-graphql';
import type { FieldFault } from '../src/domain/errors.ts';
import { AppError } from '../src/domain/errors.ts';
import type { Platform } from '../src/domain/platform.ts';

/** Arguments of a root field by name: those that are of their types. */
export type SoundArguments = Readonly<Record<string, unknown>>;

/** A rule about one argument that its type does not know. @throws AppError 400 naming what is wrong. */
export type ArgumentCheck = (value: never, others: SoundArguments, platform: Platform) => void;

/**
 * Declares rules about the arguments of a root field that the domain holds itself to, so that they can be asked as well
 * where another argument is not even of its type: a refusal names every bad field (DESIGN §4, "Other bad input"). They
 * need nothing but the request and the settings.
 */
export function Checks(checks: Readonly<Record<string, ArgumentCheck>>): MethodDecorator {
  return Extensions({ checks }) as MethodDecorator;
}

/** What is asked of a variable because an argument takes its value from it. */
export interface VariableCheck {
  /** @returns the faults, under the variable's name; the first one's message comes with all of them. */
  faultsIn(
    values: Readonly<Record<string, unknown>>,
    platform: Platform,
  ): { faults: FieldFault[]; message: string } | null;
}

/** The checks of an operation's variables by their names. */
export function variableChecks(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): Map<string, VariableCheck> {
  const found = new Map<string, VariableCheck>();
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  for (const node of operation.selectionSet.selections) {
    if (node.kind !== Kind.FIELD) continue;
    const checks = fields[node.name.value]?.extensions.checks as Record<string, ArgumentCheck> | undefined;
    if (!checks) continue;
    const variables = variablesIn(node);
    for (const [argument, variable] of variables) {
      const check = checks[argument];
      if (check) found.set(variable, checkOf(check, argument, variable, variables));
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

function checkOf(
  check: ArgumentCheck,
  argument: string,
  variable: string,
  variables: readonly [string, string][],
): VariableCheck {
  return {
    faultsIn(values, platform) {
      const sound = Object.fromEntries(variables.map(([name, source]) => [name, values[source]]));
      try {
        check(sound[argument] as never, sound, platform);
        return null;
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'bad_request') throw error;
        const faults = (error.details.errors ?? []) as FieldFault[];
        return {
          faults: faults.map(({ field, type }) => ({
            field: [variable, ...field.split('.').slice(1)].join('.'),
            type,
          })),
          message: error.message,
        };
      }
    },
  };
}
