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

export function paginationOf(page: number, limit: number, total: number): Pagination {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}
