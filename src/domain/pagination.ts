/** SPEC, list conventions. */
export const defaultLimit = 20;
export const maximumLimit = 100;

/** SPEC's pagination object; an empty list has 0 pages. */
export interface Pagination {
  page: number;
  limit: number;
  total: number;
  pages: number;
}

/** Where page `page` (from 1) of `limit` items stands in a list of `total`. */
export function paginationOf(page: number, limit: number, total: number): Pagination {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}

/** The rows of page `page` (from 1) of `limit` items. */
export function rowsOf(page: number, limit: number): { offset: number; limit: number } {
  return { offset: (page - 1) * limit, limit };
}
