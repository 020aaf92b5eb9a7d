import { StrictDecimal } from '../../infrastructure/exchangeRates/strictDecimal.ts';
import type {
  SupplierCondition,
  SupplierPaymentTerms,
  SupplierSegmentPassenger,
} from '../../infrastructure/flights/supplier.ts';
import type { Quotation, QuotedOffer } from './quotation.ts';
import type {
  FlightRow,
  OfferColumns,
  QuotationDocument,
  QuotationLabels,
  TravelRow,
} from './quotationDocument.ts';
import { documentVersion } from './quotationDocument.ts';
import type { QuotedFlight, QuotedParts, QuotedSegment, QuotedSlice } from './quotedParts.ts';

/** The quotation of a document, or null when it is of another version. */
export function quotationOf(text: string): Quotation | null {
  const parsed = JSON.parse(text) as [QuotationLabels, QuotationDocument];
  // Documents of version 1 are objects.
  if (!Array.isArray(parsed)) return null;
  const [labels, document] = parsed;
  if (document.version !== documentVersion) return null;
  const { id, passengers, publicUrl, markupPercent } = document;
  return {
    id,
    slices: labels.requested,
    passengers,
    expiresAt: new Date(document.expiresAtMs),
    publicUrl,
    settings: { markupPercent, feeCents: BigInt(document.feeCents) },
    rates: new Map(document.rates.map(([currency, rate]) => [currency, new StrictDecimal(rate)])),
    parts: partsOf(document, labels),
    offers: offersOf(document.offers, labels),
  };
}

const partsOf = (document: QuotationDocument, labels: QuotationLabels): QuotedParts => ({
  slices: slicesOf(document, labels),
  flights: document.flights.map((row) => flightOf(row, labels)),
  travels: document.travels.map((row) => travelOf(row, document.baggages)),
});

function slicesOf(document: QuotationDocument, { places }: QuotationLabels): QuotedSlice[] {
  const segments = segmentsOf(document);
  const numbers = document.slices.values();
  const next = () => numbers.next().value!;
  const slices: QuotedSlice[] = [];
  for (const origin of numbers) {
    slices.push({
      origin: places[origin]!,
      destination: places[next()]!,
      durationMinutes: next(),
      segments: Array.from({ length: next() }, () => segments[next()]!),
    });
  }
  return slices;
}

function segmentsOf({ segments, passengers }: QuotationDocument): QuotedSegment[] {
  const numbers = segments.values();
  const next = () => numbers.next().value!;
  return Array.from(numbers, (flight) => ({ flight, travels: passengers.map(next) }));
}

const travelOf = (
  [cabinClass, cabinClassMarketingName, fareBasisCode, index]: TravelRow,
  baggages: QuotationDocument['baggages'],
): SupplierSegmentPassenger => ({
  cabinClass,
  cabinClassMarketingName,
  fareBasisCode,
  baggages: baggages[index]!,
});

const flightOf = (row: FlightRow, { places, names }: QuotationLabels): QuotedFlight => ({
  origin: places[row[0]]!,
  destination: places[row[1]]!,
  originTerminal: row[2],
  destinationTerminal: row[3],
  departingAt: row[4],
  arrivingAt: row[5],
  durationMinutes: row[6],
  distanceKm: row[7],
  marketingCarrier: names[row[8]]!,
  marketingFlightNumber: row[9],
  operatingCarrier: names[row[10]]!,
  operatingFlightNumber: row[11],
  aircraft: names[row[12]]!,
});

function offersOf(columns: OfferColumns, { names, requested }: QuotationLabels): QuotedOffer[] {
  const slicesInOffer = requested.length;
  return columns.references.map((reference, row) => ({
    supplier: columns.suppliers[row]!,
    price: { baseCents: BigInt(columns.baseCents[row]!), markupCents: BigInt(columns.markupCents[row]!) },
    offer: {
      reference,
      owner: names[columns.owners[row]!]!,
      currency: columns.currencies[row]!,
      totalAmount: columns.totalAmounts[row]!,
      fareBrandName: columns.fareBrandNames[row]!,
      conditions: {
        refundBeforeDeparture: conditionOf(columns.refundsAllowed[row]!, columns.refundPenalties[row]!),
        changeBeforeDeparture: conditionOf(columns.changesAllowed[row]!, columns.changePenalties[row]!),
      },
      payment: paymentTermsOf(columns.guaranteesMs[row]!, columns.deadlinesMs[row]!),
      expiresAt: dateOf(columns.expiriesMs[row]!),
    },
    slices: columns.slices.slice(row * slicesInOffer, (row + 1) * slicesInOffer),
  }));
}

const conditionOf = (allowed: boolean, penaltyAmount: string | null): SupplierCondition => ({
  allowed,
  penaltyAmount,
});

const paymentTermsOf = (guaranteeMs: number | null, deadlineMs: number | null): SupplierPaymentTerms =>
  guaranteeMs === null || deadlineMs === null
    ? { requiresInstantPayment: true }
    : {
        requiresInstantPayment: false,
        priceGuaranteeExpiresAt: new Date(guaranteeMs),
        paymentRequiredBy: new Date(deadlineMs),
      };

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
