/** SPEC, list conventions. */
export const defaultLimit = 20;
export const maximumLimit = 100;

/** What is counted is told up to here, and no page has a higher number: GraphQL's Int goes no further. */
export const largestCount = 2 ** 31 - 1;

/** SPEC's pagination object; an empty list has 0 pages. */
export interface Pagination {
  page: number;
  limit: number;
  total: number;
  pages: number;
}

/** Where page `page` (from 1) of `limit` items stands in a list of `total`. */
export function paginationOf(page: number, limit: number, total: number): Pagination {
  const pages = Math.ceil(total / limit);
  return { page, limit, total: Math.min(total, largestCount), pages: Math.min(pages, largestCount) };
}

/** The rows of page `page` (from 1) of `limit` items. */
export function rowsOf(page: number, limit: number): { offset: number; limit: number } {
  return { offset: (page - 1) * limit, limit };
}
