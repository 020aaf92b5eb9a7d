import type { GraphQLObjectType } from 'graphql';
import { Extensions } from 'type-graphql';

/** What objects of a type may have in common: all members but some come from a part that is the same object. */
export interface SharedPart {
  /** Under which an object names its part; one without shares nothing. */
  readonly key: symbol;
  /** Members that are the object's own. */
  readonly besides: readonly string[];
}

/** Declares it of an object type, for doors that can write the part once and repeat it. */
export const SharesPart = (part: SharedPart): ClassDecorator =>
  Extensions({ sharedPart: part }) as ClassDecorator;

/** What was declared of a type; null for most. */
export const sharedPartOf = (type: GraphQLObjectType): SharedPart | null =>
  (type.extensions.sharedPart as SharedPart | undefined) ?? null;
