import { askWithin, SupplierTimeout } from '../../infrastructure/flights/cutOff.ts';
import type { FlightSupplier, SupplierOffer, SupplierSearch } from '../../infrastructure/flights/supplier.ts';
import type { AppError } from '../errors.ts';
import { unprocessable } from '../errors.ts';
import type { Platform } from '../platform.ts';

/** What one supplier has for a search. */
export interface SupplierAnswer {
  readonly supplier: string;
  readonly offers: readonly SupplierOffer[];
}

/**
 * Asks these suppliers at once and takes what has come when the slowest has answered, failed or been cut off: those that
 * fail are missing from the answers, and only the log knows why.
 * @throws AppError 422 "Flight search unavailable" when all of them fail; `details.reason` is `timeout` or `failed`,
 *   `not_connected` when there is none to ask
 */
export async function askSuppliers(
  suppliers: readonly FlightSupplier[],
  search: SupplierSearch,
  platform: Pick<Platform, 'clock' | 'settings' | 'log'>,
): Promise<SupplierAnswer[]> {
  if (suppliers.length === 0) throw unprocessable('Flight search unavailable', { reason: 'not_connected' });
  const results = await Promise.allSettled(
    suppliers.map((supplier) => askSupplier(supplier, search, platform)),
  );
  const answers: SupplierAnswer[] = [];
  const faults: unknown[] = [];
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') {
      answers.push(result.value);
    } else {
      faults.push(result.reason);
      const supplier = suppliers[index]?.name;
      platform.log.warn({ err: result.reason, supplier }, 'flight supplier did not answer');
    }
  }
  if (answers.length === 0) throw searchUnavailable(faults);
  return answers;
}

function searchUnavailable(faults: readonly unknown[]): AppError {
  const timedOut = faults.some((fault) => fault instanceof SupplierTimeout);
  return unprocessable('Flight search unavailable', { reason: timedOut ? 'timeout' : 'failed' });
}

async function askSupplier(
  supplier: FlightSupplier,
  search: SupplierSearch,
  { clock, settings }: Pick<Platform, 'clock' | 'settings'>,
): Promise<SupplierAnswer> {
  const limits = { supplier: supplier.name, timeoutMs: settings.FLIGHT_SUPPLIER_TIMEOUT, clock };
  const offers = await askWithin(limits, (options) => supplier.search(search, options));
  return { supplier: supplier.name, offers };
}
