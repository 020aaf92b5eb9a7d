import { Field, Int, ObjectType } from 'type-graphql';

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
