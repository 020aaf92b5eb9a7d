import type { AppError } from '../src/errors.ts';
import type { Tag } from './tags.ts';

/**
 * A documented REST endpoint: a GraphQL document whose variables are named as the request's fields and whose aliases
 * spell the response's. There is no other mapping. A new endpoint is one more of these.
 */
export interface Route {
  /** Name in OpenAPI (`operationId`). */
  readonly name: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below `restPrefix`, with Express parameters: `/wallet/recharge/:id`. */
  readonly path: string;
  /** Status of success. */
  readonly status: 200 | 201;
  /**
   * How the only root field's value becomes the body: `data` puts it under `data`; `list` spreads its `data` and
   * `pagination` next to `success`; `bare` is the body itself.
   */
  readonly envelope: 'data' | 'list' | 'bare';
  /** The group in which the documentation has it: one of `tags.ts`. */
  readonly tag: Tag;
  readonly summary: string;
  readonly document: string;
  /** Name of what it answers, for the documentation, where that is not all that others answer of its GraphQL type. */
  readonly answerName?: string;
  /** An example of what it answers, as the domain has it: the documentation shows what the route makes of it. */
  readonly answerExample: object;
  /**
   * A request's body, for the documentation and for collections that clients make of it, wherever there is one: what they
   * make of the types of its members is refused. One that is good only before some day is made for a day of departure,
   * YYYY-MM-DD.
   */
  readonly example?: ExampleBody | ((departureDate: string) => ExampleBody);
  /**
   * What this endpoint refuses beyond what every one does, for the documentation: made by what refuses it, of the examples'
   * values. One that comes with several kinds of details stands there once for each.
   */
  readonly refusals?: readonly AppError[];
}

export type ExampleBody = Readonly<Record<string, unknown>>;
