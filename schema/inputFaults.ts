import type { FieldNode, GraphQLResolveInfo, ValueNode } from 'graphql';
import { Kind } from 'graphql';
import type { FieldFault } from '../src/errors.ts';
import { AppError, validationError } from '../src/errors.ts';

/**
 * The domain names the bad member of an argument; clients get its path as they spelt it, `input.name`. A member that the
 * document takes from a variable is named after the variable, which is how the endpoints of REST get the names of their
 * own fields.
 */
export function inArgument<T>(
  argument: string,
  { fieldNodes: [node] }: GraphQLResolveInfo,
  work: () => Promise<T>,
): Promise<T> {
  const value = node?.arguments?.find(({ name }) => name.value === argument)?.value;
  return renamingFields(work, (field) => asSpelt(value, argument, field));
}

/** The same where the domain names the arguments themselves, `startDate`. */
export function inArguments<T>(
  { fieldNodes: [node] }: GraphQLResolveInfo,
  work: () => Promise<T>,
): Promise<T> {
  return renamingFields(work, spellingOf(node));
}

/** A refusal that names arguments, as it is answered where the document of a field gives their values. */
export const spelt = (refusal: AppError, node: FieldNode): AppError => renamed(refusal, spellingOf(node));

const spellingOf = (node: FieldNode | undefined) => (field: string) => {
  const [argument = '', ...members] = field.split('.');
  const value = node?.arguments?.find(({ name }) => name.value === argument)?.value;
  return asSpelt(value, argument, members.join('.'));
};

/** A member of an argument, `slices.0.origin`, or '' for all of it, as the document that gives its value spells it. */
export function asSpelt(argumentValue: ValueNode | undefined, argument: string, field: string): string {
  const members = field === '' ? [] : field.split('.');
  let value = argumentValue;
  let depth = 0;
  while (value?.kind === Kind.OBJECT || value?.kind === Kind.LIST) {
    const member = members[depth];
    depth += 1;
    // One that stands for a list of one.
    if (value.kind === Kind.OBJECT && /^\d+$/.test(member ?? '')) continue;
    value =
      value.kind === Kind.OBJECT
        ? value.fields.find(({ name }) => name.value === member)?.value
        : value.values[Number(member)];
  }
  return value?.kind === Kind.VARIABLE
    ? [value.name.value, ...members.slice(depth)].join('.')
    : [argument, ...members].join('.');
}

async function renamingFields<T>(work: () => Promise<T>, rename: (field: string) => string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? renamed(error, rename) : error;
  }
}

/** Requests that are bad name all of their fields, those that cannot be met the one that it is for, if any. */
function renamed(error: AppError, rename: (field: string) => string): AppError {
  const { code, kind, message, details } = error;
  if (kind === 'bad_request') {
    const faults = (details.errors ?? []) as FieldFault[];
    return validationError(
      faults.map(({ field, type }) => ({ field: rename(field), type })),
      message,
    );
  }
  if (kind !== 'unprocessable' || typeof details.field !== 'string') return error;
  return new AppError(code, message, { kind, details: { ...details, field: rename(details.field) } });
}
