import type { Sequelize } from 'sequelize';
import type { FieldFault } from '../../errors.ts';
import { validationError } from '../../errors.ts';
import { parseAmount } from '../money.ts';
import type { Pagination } from '../pagination.ts';
import { paginationOf } from '../pagination.ts';
import type { Tenant } from '../tenant.ts';
import type { FlightOffer, FlightOffers } from './offer.ts';
import type { OfferInternals } from './offerStore.ts';
import { findOfferRequest } from './offerStore.ts';

export type OfferSort = 'total_amount' | 'duration';

/** What an offer must be to stay in the list; members that are absent or null ask nothing. */
export interface OfferFilter {
  /** Connections of every slice, at most. */
  readonly maxStops?: number | null;
  /** IATA codes of the principal carrier. */
  readonly carriers?: readonly string[] | null;
  /** Decimals in BRL, both inclusive, compared with client_amount. */
  readonly minPrice?: string | null;
  readonly maxPrice?: string | null;
}

export interface OfferPage extends FlightOffers {
  readonly pagination: Pagination;
}

/**
 * A page of a stored search. `total_amount` sorts by what the client pays, since carriers ask in several currencies;
 * equals stand as the search had them, cheapest first and of these the shortest.
 * @throws AppError 400 naming the members of a filter that makes no sense, 404 "Offer request not found"
 */
export async function listOffers(
  tenant: Tenant,
  id: string,
  { sort, filter, page, limit }: { sort: OfferSort; filter: OfferFilter; page: number; limit: number },
  sequelize: Sequelize,
): Promise<OfferPage> {
  const accepts = acceptanceOf(filter);
  const { response, internals } = await findOfferRequest(tenant, id, sequelize);
  const listed = response.offers
    .map((offer, index) => ({ offer, internals: internals[index]! }))
    .filter(accepts);
  if (sort === 'duration')
    listed.sort((one, other) => one.internals.durationMinutes - other.internals.durationMinutes);
  return {
    ...response,
    offers: listed.slice((page - 1) * limit, page * limit).map(({ offer }) => offer),
    pagination: paginationOf(page, limit, listed.length),
  };
}

/** What a filter asks for, in numbers. */
interface FilterRange {
  readonly maxStops: number;
  readonly minCents: bigint;
  /** Null for no limit. */
  readonly maxCents: bigint | null;
}

const rangeOf = ({ maxStops, minPrice, maxPrice }: OfferFilter): FilterRange => ({
  maxStops: maxStops ?? Number.POSITIVE_INFINITY,
  minCents: parseAmount(minPrice ?? '0') ?? 0n,
  maxCents: maxPrice ? parseAmount(maxPrice) : null,
});

function faultsOf({ maxStops, minCents, maxCents }: FilterRange): FieldFault[] {
  const faults: FieldFault[] = [];
  if (maxStops < 0) faults.push({ field: 'maxStops', type: 'too_small' });
  if (maxCents !== null && minCents > maxCents) faults.push({ field: 'minPrice', type: 'above_maximum' });
  return faults;
}

/** The members of a filter that make no sense. */
export const filterFaults = (filter: OfferFilter): FieldFault[] => faultsOf(rangeOf(filter));

/** @throws AppError 400 as `filterFaults` says. */
function acceptanceOf(
  filter: OfferFilter,
): (listed: { offer: FlightOffer; internals: OfferInternals }) => boolean {
  const range = rangeOf(filter);
  const faults = faultsOf(range);
  if (faults.length > 0) throw validationError(faults);
  const { maxStops, minCents, maxCents } = range;
  const carriers = filter.carriers ? new Set(filter.carriers) : null;
  return ({ offer, internals }) =>
    internals.stops <= maxStops &&
    (carriers?.has(offer.owner.iataCode) ?? true) &&
    internals.clientAmountCents >= minCents &&
    (maxCents === null || internals.clientAmountCents <= maxCents);
}
