import { Extensions } from 'type-graphql';

/** What OpenAPI says of how many a request may have, which the domain holds itself to, beside what it says of their type. */
export interface Bounds {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Of a member of an input. */
export const Bounded = (bounds: Bounds): PropertyDecorator => Extensions({ bounds }) as PropertyDecorator;

/** Of arguments of a root field, by their names. */
export const BoundedArguments = (argumentBounds: Readonly<Record<string, Bounds>>): MethodDecorator =>
  Extensions({ argumentBounds }) as MethodDecorator;

interface Extended {
  readonly extensions: Readonly<Record<string, unknown>>;
}

export const boundsOfMember = ({ extensions }: Extended): Bounds =>
  (extensions.bounds as Bounds | undefined) ?? {};

export const boundsOfArgument = ({ extensions }: Extended, argument: string): Bounds =>
  (extensions.argumentBounds as Readonly<Record<string, Bounds>> | undefined)?.[argument] ?? {};
