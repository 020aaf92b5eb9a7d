import type { FlightOffer, FlightOffers, OfferPlace, OfferSlice } from '../../src/domain/flights/offer.ts';

/** Ids of one search share all but their ends. */
const batch = '01m7yj635hf20a7nrk118f';

const passenger = { id: `pas_${batch}0001`, type: 'adult' } as const;

const guarulhos: OfferPlace = {
  iataCode: 'GRU',
  name: 'São Paulo–Guarulhos International Airport',
  cityName: 'São Paulo',
  iataCityCode: 'SAO',
  timeZone: 'America/Sao_Paulo',
};

const galeao: OfferPlace = {
  iataCode: 'GIG',
  name: 'Rio de Janeiro-Galeão International Airport',
  cityName: 'Rio de Janeiro',
  iataCityCode: 'RIO',
  timeZone: 'America/Sao_Paulo',
};

const slice: OfferSlice = {
  id: `sli_${batch}0017`,
  origin: guarulhos,
  destination: galeao,
  duration: 'PT55M',
  segments: [
    {
      id: `seg_${batch}0018`,
      origin: { iataCode: 'GRU', name: guarulhos.name, terminal: '2' },
      destination: { iataCode: 'GIG', name: galeao.name, terminal: '2' },
      departingAt: '2026-12-22T21:00:00',
      arrivingAt: '2026-12-22T21:55:00',
      operatingCarrier: {
        iataCode: 'JJ',
        name: 'LATAM Airlines Brasil',
        logoSymbolUrl: 'https://api.example.com/logos/JJ.svg',
      },
      marketingCarrier: { iataCode: 'LA', name: 'LATAM Airlines' },
      operatingCarrierFlightNumber: '1539',
      marketingCarrierFlightNumber: '1539',
      aircraft: { iataCode: '32N', name: 'Airbus A320neo' },
      duration: 'PT55M',
      distance: '339.7',
      passengers: [
        {
          passengerId: passenger.id,
          cabinClass: 'economy',
          cabinClassMarketingName: 'Economy',
          fareBasisCode: 'MHSTDOW',
          baggages: [
            { type: 'carry_on', quantity: 1 },
            { type: 'checked', quantity: 1 },
          ],
        },
      ],
    },
  ],
};

/** That of the request that books it. */
export const offer: FlightOffer = {
  id: `off_${batch}0016`,
  totalAmount: '478.64',
  totalCurrency: 'BRL',
  clientAmount: '561.50',
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
  expiresAt: '2026-11-20T12:24:10.221Z',
  owner: { iataCode: 'LA', name: 'LATAM Airlines' },
  slices: [slice],
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
  id: `orq_${batch}0000`,
  offers: [offer],
  slices: [{ origin: guarulhos, destination: galeao, departureDate: '2026-12-22' }],
  passengers: [passenger],
};
