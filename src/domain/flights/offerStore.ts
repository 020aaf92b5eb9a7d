import type { Sequelize } from 'sequelize';
import { notFound } from '../../errors.ts';
import { run, statement } from '../../infrastructure/database/statement.ts';
import { isIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import { batchOf } from '../../infrastructure/identifiers/identifierBatch.ts';
import { forgetOlder, forgetStatement } from '../forgetting.ts';
import { disconnectedSql } from '../integrations/integration.ts';
import type { Platform } from '../platform.ts';
import type { Tenant } from '../tenant.ts';
import type { FlightOffer, FlightOffers } from './offer.ts';
import { assembleOffers } from './offerAssembly.ts';
import { clientCents } from './pricing.ts';
import type { Quotation } from './quotation.ts';
import { journeyMinutes, mostStops } from './quotation.ts';
import { documentOf } from './quotationDocument.ts';
import { quotationOf } from './quotationReading.ts';
import { offerExpired, offerNotFound, supplierNotConnected } from './refusals.ts';

/** What the server keeps to itself about an offer: how to book it, and what lists sort and filter by. */
export interface OfferInternals {
  readonly supplier: string;
  readonly supplierReference: string;
  readonly clientAmountCents: bigint;
  /** All slices together. */
  readonly durationMinutes: number;
  /** Connections of the slice that has most. */
  readonly stops: number;
}

/** An offer that may be booked. */
export interface UsableOffer {
  readonly offer: FlightOffer;
  readonly internals: OfferInternals;
}

/** A search as it was answered; `internals` stand in the order of its offers. */
export interface StoredSearch {
  readonly response: FlightOffers;
  readonly internals: readonly OfferInternals[];
}

/** How long after their expiry offers can still be read, and say OFFER_EXPIRED instead of being unknown. */
const keptAfterExpiryMs = 3_600_000;

const insertSearch = statement(
  'insert_flight_search',
  `INSERT INTO flight_searches (batch, wallet_id, team_id, mode, created_at, expires_at, document)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
  // Offers live for minutes, and a booking keeps what it needs of its offer: who misses one searches again.
  { commit: 'asynchronous' },
);

const findDocument = statement<{ document: Buffer }>(
  'find_flight_search',
  'SELECT document FROM flight_searches WHERE batch = $1 AND wallet_id = $2',
);

/** The same for a booking: with the names of suppliers that are not asked for this team and mode. */
const findBookable = statement<{ document: Buffer; disconnected: string[] }>(
  'find_bookable_flight_search',
  `SELECT document, ${disconnectedSql('flight_supplier', '$2')} AS disconnected
     FROM flight_searches WHERE batch = $1 AND wallet_id = $2`,
);

const forgetSearches = forgetStatement('forget_flight_searches', 'flight_searches', 'expires_at');

/** Keeps a search for its team and mode. */
export async function storeOffers(
  tenant: Tenant,
  quotation: Quotation,
  { clock, sequelize }: Pick<Platform, 'clock' | 'sequelize'>,
): Promise<void> {
  await run(sequelize, insertSearch, [
    batchOf(quotation.id),
    tenant.walletId,
    tenant.teamId,
    tenant.mode,
    clock.now(),
    quotation.expiresAt,
    documentOf(quotation),
  ]);
}

/**
 * An offer as it was shown, expired or not.
 * @throws AppError 404 "Offer not found" when this team and mode did not get it, or it is long gone
 */
export async function findOffer(tenant: Tenant, id: string, sequelize: Sequelize): Promise<FlightOffer> {
  const search = isIdentifier('off', id) ? await readSearch(tenant, id, sequelize) : null;
  const offer = search?.response.offers.find((one) => one.id === id);
  if (!offer) throw offerNotFound();
  return offer;
}

/**
 * An offer to be booked now.
 * @throws AppError 404 "Offer not found"; 422 OFFER_EXPIRED "Offer expired" once its expires_at has passed; 422 "Flight
 *   supplier not connected" when its supplier is not asked any more for this team and mode, or not at all
 */
export async function findUsableOffer(tenant: Tenant, id: string, platform: Platform): Promise<UsableOffer> {
  const { sequelize, clock, flightSuppliers } = platform;
  const [row] = isIdentifier('off', id)
    ? await run(sequelize, findBookable, [batchOf(id), tenant.walletId])
    : [];
  const search = row ? searchOf(row) : null;
  const index = search ? search.response.offers.findIndex((offer) => offer.id === id) : -1;
  const offer = search?.response.offers[index];
  const internals = search?.internals[index];
  if (!row || !search || !offer || !internals) throw offerNotFound();
  if (clock.now() >= new Date(offer.expiresAt)) {
    throw offerExpired({ offer_id: id, expires_at: offer.expiresAt });
  }
  const runsHere = flightSuppliers.some(({ name }) => name === internals.supplier);
  if (!runsHere || row.disconnected.includes(internals.supplier)) {
    throw supplierNotConnected();
  }
  return { offer, internals };
}

/** @throws AppError 404 "Offer request not found" */
export async function findOfferRequest(
  tenant: Tenant,
  id: string,
  sequelize: Sequelize,
): Promise<StoredSearch> {
  const search = isIdentifier('orq', id) ? await readSearch(tenant, id, sequelize) : null;
  if (search?.response.id !== id) throw notFound('Offer request');
  return search;
}

async function readSearch(tenant: Tenant, id: string, sequelize: Sequelize): Promise<StoredSearch | null> {
  const [row] = await run(sequelize, findDocument, [batchOf(id), tenant.walletId]);
  return row ? searchOf(row) : null;
}

function searchOf({ document }: { document: Buffer }): StoredSearch | null {
  const quotation = quotationOf(document.toString());
  return quotation && { response: assembleOffers(quotation), internals: internalsOf(quotation) };
}

/** What lists and bookings ask about the offers of a quotation, in its order. */
export const internalsOf = ({ offers, settings, parts }: Quotation): OfferInternals[] =>
  offers.map(({ supplier, offer, price, slices: indexes }) => {
    const slices = indexes.map((index) => parts.slices[index]!);
    return {
      supplier,
      supplierReference: offer.reference,
      clientAmountCents: clientCents(price, settings),
      durationMinutes: journeyMinutes(slices),
      stops: mostStops(slices),
    };
  });

/** Deletes searches whose offers expired an hour ago. */
export const forgetOldOffers = (platform: Platform, stopping: AbortSignal): Promise<void> =>
  forgetOlder(forgetSearches, keptAfterExpiryMs, platform, stopping);
