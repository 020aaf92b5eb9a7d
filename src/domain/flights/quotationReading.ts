import { StrictDecimal } from '../../infrastructure/exchangeRates/strictDecimal.ts';
import type {
  SupplierCondition,
  SupplierPaymentTerms,
  SupplierSegmentPassenger,
} from '../../infrastructure/flights/supplier.ts';
import type { OfferedFlight, OfferedSegment, OfferedSlice, Quotation, QuotedOffer } from './quotation.ts';
import type {
  FlightRow,
  OfferColumns,
  QuotationDocument,
  QuotationLabels,
  TravelRow,
} from './quotationDocument.ts';
import { documentVersion } from './quotationDocument.ts';

/** The quotation of a document, or null when it is of another version. */
export function quotationOf(text: string): Quotation | null {
  const parsed = JSON.parse(text) as [QuotationLabels, QuotationDocument];
  // Documents of version 1 are objects.
  if (!Array.isArray(parsed)) return null;
  const [labels, document] = parsed;
  if (document.version !== documentVersion) return null;
  const { id, passengers, publicUrl, markupPercent } = document;
  const slices = slicesOf(document, labels);
  return {
    id,
    slices: labels.requested,
    passengers,
    expiresAt: new Date(document.expiresAtMs),
    publicUrl,
    settings: { markupPercent, feeCents: BigInt(document.feeCents) },
    rates: new Map(document.rates.map(([currency, rate]) => [currency, new StrictDecimal(rate)])),
    offers: offersOf(document.offers, slices, labels),
  };
}

function slicesOf(document: QuotationDocument, labels: QuotationLabels): OfferedSlice[] {
  const segments = segmentsOf(document, labels);
  const numbers = document.slices.values();
  const next = () => numbers.next().value!;
  const slices: OfferedSlice[] = [];
  for (const origin of numbers) {
    slices.push({
      origin: labels.places[origin]!,
      destination: labels.places[next()]!,
      durationMinutes: next(),
      segments: Array.from({ length: next() }, () => segments[next()]!),
    });
  }
  return slices;
}

function segmentsOf(document: QuotationDocument, labels: QuotationLabels): OfferedSegment[] {
  const { baggages, passengers } = document;
  const flights = document.flights.map((row) => flightOf(row, labels));
  const travels = document.travels.map((row) => travelOf(row, baggages));
  const numbers = document.segments.values();
  const segments: OfferedSegment[] = [];
  for (const flight of numbers) {
    const travelsOfAll = passengers.map(() => travels[numbers.next().value!]!);
    segments.push({ flight: flights[flight]!, passengers: travelsOfAll });
  }
  return segments;
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

const flightOf = (row: FlightRow, { places, names }: QuotationLabels): OfferedFlight => ({
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

function offersOf(
  columns: OfferColumns,
  slices: readonly OfferedSlice[],
  { names, requested }: QuotationLabels,
): QuotedOffer[] {
  return columns.references.map((reference, row) => ({
    supplier: columns.suppliers[row]!,
    price: { baseCents: BigInt(columns.baseCents[row]!), markupCents: BigInt(columns.markupCents[row]!) },
    offer: {
      reference,
      owner: names[columns.owners[row]!]!,
      currency: columns.currencies[row]!,
      totalAmount: columns.totalAmounts[row]!,
      fareBrandName: columns.fareBrandNames[row]!,
      slices: requested.map((_, place) => slices[columns.slices[row * requested.length + place]!]!),
      conditions: {
        refundBeforeDeparture: conditionOf(columns.refundsAllowed[row]!, columns.refundPenalties[row]!),
        changeBeforeDeparture: conditionOf(columns.changesAllowed[row]!, columns.changePenalties[row]!),
      },
      payment: paymentTermsOf(columns.guaranteesMs[row]!, columns.deadlinesMs[row]!),
      expiresAt: dateOf(columns.expiriesMs[row]!),
    },
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
