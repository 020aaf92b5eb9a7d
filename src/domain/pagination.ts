import { validationError } from './errors.ts';
import type { FieldFault } from './errors.ts';

export const defaultLimit = 20;
export const maximumLimit = 100;

/** Faults of a page request: page from 1, limit from 1 to 100 (SPEC, list conventions). */
export function pageFaults(page: number, limit: number): FieldFault[] {
  const faults: FieldFault[] = [];
  if (page < 1) faults.push({ field: 'page', type: 'too_small' });
  if (limit < 1) faults.push({ field: 'limit', type: 'too_small' });
  if (limit > maximumLimit) faults.push({ field: 'limit', type: 'too_large' });
  return faults;
}

/** @throws AppError 400 when page or limit is out of range. */
export function checkPage(page: number, limit: number): void {
  const faults = pageFaults(page, limit);
  if (faults.length > 0) throw validationError(faults);
}

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
