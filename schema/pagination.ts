import { Arg, Field, Int, ObjectType } from 'type-graphql';
import { defaultLimit } from '../src/domain/pagination.ts';
import { PageNumber, PageSize } from './scalars.ts';

@ObjectType({ description: 'Number of a page, and the totals of its list.', simpleResolvers: true })
export class Pagination {
  @Field(() => Int, { description: 'Current page, from 1.' })
  declare page: number;

  @Field(() => Int, { description: 'Items per page.' })
  declare limit: number;

  @Field(() => Int, { description: 'Items in all pages.' })
  declare total: number;

  @Field(() => Int, { description: 'Number of pages; 0 for an empty list.' })
  declare pages: number;
}

/** The argument `page` of a list. */
export const PageArg = () => Arg('page', () => PageNumber, { defaultValue: 1, description: 'Page, from 1.' });

/** The argument `limit` of a list. */
export const LimitArg = () =>
  Arg('limit', () => PageSize, { defaultValue: defaultLimit, description: 'Items per page, 1 to 100.' });
