import { askWithin, TimedOut } from '../../infrastructure/cutOff.ts';
import type { FlightSupplier, SupplierOffer, SupplierSearch } from '../../infrastructure/flights/supplier.ts';
import type { Metrics } from '../../infrastructure/metrics.ts';
import type { AppError } from '../errors.ts';
import { unprocessable } from '../errors.ts';
import type { Platform } from '../platform.ts';

/** What one supplier has for a search. */
export interface SupplierAnswer {
  readonly supplier: string;
  readonly offers: readonly SupplierOffer[];
}

interface Surroundings {
  readonly platform: Pick<Platform, 'clock' | 'settings' | 'log'>;
  readonly metrics: Pick<Metrics, 'supplierSeconds'>;
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
  { platform, metrics }: Surroundings,
): Promise<SupplierAnswer[]> {
  if (suppliers.length === 0) throw unprocessable('Flight search unavailable', { reason: 'not_connected' });
  const results = await Promise.allSettled(
    suppliers.map((supplier) => askSupplier(supplier, search, { platform, metrics })),
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
  const timedOut = faults.some((fault) => fault instanceof TimedOut);
  return unprocessable('Flight search unavailable', { reason: timedOut ? 'timeout' : 'failed' });
}

async function askSupplier(
  supplier: FlightSupplier,
  search: SupplierSearch,
  { platform: { clock, settings, log }, metrics }: Surroundings,
): Promise<SupplierAnswer> {
  const { name } = supplier;
  const limits = { asked: name, timeoutMs: settings.FLIGHT_SUPPLIER_TIMEOUT, clock };
  const startedMs = performance.now();
  const tell = (outcome: 'answered' | 'failed' | 'timeout') =>
    metrics.supplierSeconds.observe({ supplier: name, outcome }, (performance.now() - startedMs) / 1_000);
  try {
    const found = await askWithin(limits, (options) => supplier.search(search, options));
    tell('answered');
    const offers = found.filter((offer) => hasSoundAmounts(offer) && fits(offer, search));
    const dropped = found.length - offers.length;
    if (dropped > 0) log.warn({ supplier: name, dropped }, 'offers that cannot be are left out');
    return { supplier: name, offers };
  } catch (error) {
    tell(error instanceof TimedOut ? 'timeout' : 'failed');
    throw error;
  }
}

const decimal = /^\d{1,10}(\.\d{1,2})?$/;

/** Whether wallets can pay the price and be refunded less the penalty: both are debited and credited as they stand. */
function hasSoundAmounts({ totalAmount, conditions }: SupplierOffer): boolean {
  const { penaltyAmount } = conditions.refundBeforeDeparture;
  const isSoundPenalty = penaltyAmount === null || decimal.test(penaltyAmount);
  return isSoundPenalty && decimal.test(totalAmount) && /[1-9]/.test(totalAmount);
}

/** Whether an offer is for what was asked: every slice, on which everybody travels. What is stored of it counts on that. */
function fits({ slices }: SupplierOffer, search: SupplierSearch): boolean {
  if (slices.length !== search.slices.length) return false;
  const travellers = search.passengers.length;
  return slices.every(
    ({ segments }) =>
      segments.length > 0 && segments.every(({ passengers }) => passengers.length === travellers),
  );
}
