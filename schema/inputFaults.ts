import type { FieldNode, GraphQLField, ValueNode } from 'graphql';
import { getNullableType, isInputObjectType, Kind } from 'graphql';
import type { FieldFault } from '../src/errors.ts';
import { AppError, validationError } from '../src/errors.ts';

/** How a document that asks for a root field spells what the domain calls an argument of it, or a member of one. */
export type Spelling = (field: string) => string;

/**
 * The domain names arguments, `startDate` or `passengers.0.id`, and where an argument is an object the members of that,
 * `markupPercent`. Clients get the path as their document spells it, `input.markupPercent`. What the document takes from
 * a variable is named after the variable, which is how the endpoints of REST get the names of their own fields.
 */
export function spellingOf(
  { arguments: given = [] }: FieldNode,
  { args }: Pick<GraphQLField<unknown, unknown>, 'args'>,
): Spelling {
  const givenTo = (argument: string) => given.find(({ name }) => name.value === argument)?.value;
  return (field) => {
    const [first = '', ...members] = field.split('.');
    const whole = args.some(({ name }) => name === first) ? undefined : args.find(hasMember(first));
    return whole
      ? asSpelt(givenTo(whole.name), whole.name, [first, ...members])
      : asSpelt(givenTo(first), first, members);
  };
}

const hasMember =
  (member: string) =>
  ({ type }: GraphQLField<unknown, unknown>['args'][number]): boolean => {
    const nullable = getNullableType(type);
    return isInputObjectType(nullable) && Object.hasOwn(nullable.getFields(), member);
  };

/** A place in an argument, none of its members for all of it, as the document that gives its value spells it. */
function asSpelt(argumentValue: ValueNode | undefined, argument: string, members: readonly string[]): string {
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

/** A refusal of the domain as it is answered: bad requests name all of their fields, others the one that they are for. */
export function spelt(refusal: AppError, spelling: Spelling): AppError {
  const { code, kind, message, details } = refusal;
  if (kind === 'bad_request') {
    const faults = (details.errors ?? []) as FieldFault[];
    return validationError(
      faults.map((fault) => ({ ...fault, field: spelling(fault.field) })),
      message,
    );
  }
  if (typeof details.field !== 'string') return refusal;
  const field = spelling(details.field);
  return field === details.field
    ? refusal
    : new AppError(code, message, { kind, details: { ...details, field } });
}
