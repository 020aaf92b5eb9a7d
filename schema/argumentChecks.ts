import type { GraphQLArgument } from 'graphql';
import { isNonNullType } from 'graphql';
import { Extensions } from 'type-graphql';
import type { Platform } from '../src/domain/platform.ts';
import type { FieldFault, MessagedFault } from '../src/errors.ts';
import { AppError } from '../src/errors.ts';
import type { RootField } from './rootFields.ts';

/** Arguments of a root field by name: those that are of their types. */
export type SoundArguments = Readonly<Record<string, unknown>>;

/**
 * A rule about one argument that its type does not know; null comes to it where the type has that as well.
 * @throws AppError 400 naming what is wrong.
 */
export type ArgumentCheck = (value: never, others: SoundArguments, platform: Platform) => void;

/**
 * The same for what is left of an argument: members that are not of their types are undefined, and so is one that may be
 * left out, and was; `others` is what is left of the other arguments. @returns what is wrong with the rest, named from the
 * argument on, `passengers.0.id`, or from its members on.
 */
export type PartsCheck = (
  parts: never,
  platform: Platform,
  others: SoundArguments,
) => readonly MessagedFault[];

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

interface DeclaredChecks {
  readonly checks: Readonly<Record<string, ArgumentCheck>>;
  readonly checksOfParts: Readonly<Record<string, PartsCheck>>;
}

/** The rules that a root field was declared with, by its arguments. */
function checksOf({ extensions }: RootField): DeclaredChecks {
  const { checks = {}, checksOfParts = {} } = extensions as Partial<DeclaredChecks>;
  return { checks, checksOfParts };
}

/**
 * What is wrong by the rules of a root field with arguments that are of their types, as the domain names it and in the order
 * in which they are declared.
 * @param parts what is left of all arguments, where some are not of their types
 */
export function faultsOf(
  field: RootField,
  sound: SoundArguments,
  platform: Platform,
  parts: SoundArguments = sound,
): MessagedFault[] {
  const { checks, checksOfParts } = checksOf(field);
  return [
    ...Object.entries(checks).flatMap(([name, check]) => faultsBy(check, name, sound, platform)),
    ...Object.entries(checksOfParts).flatMap(([name, check]) =>
      faultsByParts(check, argumentOf(field, name), parts, platform),
    ),
  ];
}

/** @throws Error when the root field has no such argument. */
function argumentOf({ name, args }: RootField, argument: string): GraphQLArgument {
  const found = args.find((one) => one.name === argument);
  if (!found) throw new Error(`${name} has no argument ${argument}`);
  return found;
}

/** What a rule has against an argument; nothing when it was left out. */
function faultsBy(
  check: ArgumentCheck,
  argument: string,
  given: SoundArguments,
  platform: Platform,
): MessagedFault[] {
  if (given[argument] === undefined) return [];
  try {
    check(given[argument] as never, given, platform);
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'bad_request') throw error;
    const { message, details } = error;
    return ((details.errors ?? []) as FieldFault[]).map(({ field, type }) => ({ field, type, message }));
  }
}

/** The same for what is left of an argument. */
function faultsByParts(
  check: PartsCheck,
  { name, type }: GraphQLArgument,
  given: SoundArguments,
  platform: Platform,
): readonly MessagedFault[] {
  const parts = given[name] ?? undefined;
  return parts === undefined && isNonNullType(type) ? [] : check(parts as never, platform, given);
}
