import { booking } from '../../src/domain/events/examples.ts';
import type { FlightOffer, FlightOffers, OfferSlice } from '../../src/domain/flights/offer.ts';
import { inCamelCase } from '../../src/domain/memberNames.ts';

const slices = inCamelCase<[OfferSlice]>(booking.slices);
const passenger = { id: booking.passengers[0]!.id, type: 'adult' } as const;

/** The one that is booked. */
export const offer: FlightOffer = {
  id: 'off_01jd4yq9xre5j8v2r0h3m6x9qg',
  totalAmount: '478.64',
  totalCurrency: 'BRL',
  clientAmount: booking.total_amount,
  clientCurrency: 'BRL',
  originalAmount: 478.64,
  originalCurrency: 'BRL',
  exchangeRateUsed: 1,
  baseCostBrl: '478.64',
  agencyMarkupPercent: 10,
  agencyMarkupAmount: '47.86',
  agencyFeeAmount: '35.00',
  totalAgencyCommission: '82.86',
  markupApplied: '47.86',
  feeApplied: '35.00',
  expiresAt: '2026-11-20T12:24:10.000Z',
  owner: { iataCode: 'LA', name: 'LATAM Airlines' },
  slices,
  passengers: [{ ...passenger, fareBrandName: 'Standard', loyaltyProgrammeAccounts: [] }],
  conditions: {
    refundBeforeDeparture: { allowed: true, penaltyAmount: '191.00', penaltyCurrency: 'BRL' },
    changeBeforeDeparture: { allowed: true, penaltyAmount: '57.00', penaltyCurrency: 'BRL' },
  },
  paymentRequirements: {
    requiresInstantPayment: false,
    priceGuaranteeExpiresAt: '2026-11-22T15:00:00.000Z',
    paymentRequiredBy: '2026-11-23T03:00:00.000Z',
  },
};

/** One of the many offers that a search has. */
export const offerRequest: FlightOffers = {
  id: 'orq_01jd4yq9xre5j8v2r0h3m6x9qh',
  offers: [offer],
  slices: slices.map(({ origin, destination }) => ({ origin, destination, departureDate: '2027-01-15' })),
  passengers: [passenger],
};
