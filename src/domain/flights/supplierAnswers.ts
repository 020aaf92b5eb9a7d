import { askWithin, TimedOut } from '../../infrastructure/cutOff.ts';
import type { FlightSupplier, SupplierOffer, SupplierSearch } from '../../infrastructure/flights/supplier.ts';
import type { Platform } from '../platform.ts';
import type { OfferLifetime } from './offerInspection.ts';
import { inspectOffers } from './offerInspection.ts';
import { searchUnavailable } from './refusals.ts';

/** What one supplier has for a search. */
export interface SupplierAnswer {
  readonly supplier: string;
  readonly offers: readonly SupplierOffer[];
}

interface Surroundings {
  readonly lifetime: OfferLifetime;
  readonly platform: Pick<Platform, 'clock' | 'settings' | 'log' | 'metrics'>;
}

/**
 * Asks these suppliers at once and takes what has come when the slowest has answered, failed or been cut off: those that
 * fail are missing from the answers, and only the log knows why. How each ended, and when, is told to the metrics.
 * @throws AppError 422 "Flight search unavailable" when all of them fail; `details.reason` is `timeout` or `failed`,
 *   `not_connected` when there is none to ask
 */
export async function askSuppliers(
  suppliers: readonly FlightSupplier[],
  search: SupplierSearch,
  surroundings: Surroundings,
): Promise<SupplierAnswer[]> {
  if (suppliers.length === 0) throw searchUnavailable('not_connected');
  const results = await Promise.allSettled(
    suppliers.map((supplier) => askSupplier(supplier, search, surroundings)),
  );
  const answers: SupplierAnswer[] = [];
  const faults: unknown[] = [];
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') {
      answers.push(result.value);
    } else {
      faults.push(result.reason);
      const supplier = suppliers[index]?.name;
      surroundings.platform.log.warn({ err: result.reason, supplier }, 'flight supplier did not answer');
    }
  }
  if (answers.length === 0)
    throw searchUnavailable(faults.some((fault) => fault instanceof TimedOut) ? 'timeout' : 'failed');
  return answers;
}

async function askSupplier(
  supplier: FlightSupplier,
  search: SupplierSearch,
  { platform: { clock, settings, log, metrics }, lifetime }: Surroundings,
): Promise<SupplierAnswer> {
  const { name } = supplier;
  const limits = { asked: name, timeoutMs: settings.FLIGHT_SUPPLIER_TIMEOUT, clock };
  const startedMs = performance.now();
  const tell = (outcome: 'answered' | 'failed' | 'timeout') =>
    metrics.supplierSeconds.observe({ supplier: name, outcome }, (performance.now() - startedMs) / 1_000);
  try {
    const found = await askWithin(limits, (options) => supplier.search(search, options));
    if (!Array.isArray(found)) throw new Error(`${name} answered with no list of offers`);
    tell('answered');
    const { offers, faults } = inspectOffers(found, search, lifetime);
    if (faults.length > 0) {
      const details = { supplier: name, dropped: faults.length, faults: [...new Set(faults)] };
      log.warn(details, 'offers that cannot be are left out');
    }
    return { supplier: name, offers };
  } catch (error) {
    tell(error instanceof TimedOut ? 'timeout' : 'failed');
    throw error;
  }
}
