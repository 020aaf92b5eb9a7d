import { rateUnavailable, searchUnavailable } from '../../src/domain/flights/refusals.ts';
import { badValueMessages, validationError } from '../../src/errors.ts';
import { offerRequest } from '../examples/flights.ts';
import type { Route } from '../route.ts';

const place = `{
  iata_code: iataCode
  name
  city_name: cityName
  iata_city_code: iataCityCode
  time_zone: timeZone
}`;

const carrier = '{ iata_code: iataCode name }';

const segment = `{
  id
  origin { iata_code: iataCode name terminal }
  destination { iata_code: iataCode name terminal }
  departing_at: departingAt
  arriving_at: arrivingAt
  operating_carrier: operatingCarrier { iata_code: iataCode name logo_symbol_url: logoSymbolUrl }
  marketing_carrier: marketingCarrier ${carrier}
  operating_carrier_flight_number: operatingCarrierFlightNumber
  marketing_carrier_flight_number: marketingCarrierFlightNumber
  aircraft { iata_code: iataCode name }
  duration
  distance
  passengers {
    passenger_id: passengerId
    cabin_class: cabinClass
    cabin_class_marketing_name: cabinClassMarketingName
    fare_basis_code: fareBasisCode
    baggages { type quantity }
  }
}`;

/** A leg of an offer or a booking. */
export const slice = `{ id origin ${place} destination ${place} duration segments ${segment} }`;

export const condition = '{ allowed penalty_amount: penaltyAmount penalty_currency: penaltyCurrency }';

const offer = `{
  id
  total_amount: totalAmount
  total_currency: totalCurrency
  client_amount: clientAmount
  client_currency: clientCurrency
  original_amount: originalAmount
  original_currency: originalCurrency
  exchange_rate_used: exchangeRateUsed
  base_cost_brl: baseCostBrl
  agency_markup_percent: agencyMarkupPercent
  agency_markup_amount: agencyMarkupAmount
  agency_fee_amount: agencyFeeAmount
  total_agency_commission: totalAgencyCommission
  markup_applied: markupApplied
  fee_applied: feeApplied
  expires_at: expiresAt
  owner ${carrier}
  slices ${slice}
  passengers {
    id
    type
    fare_brand_name: fareBrandName
    loyalty_programme_accounts: loyaltyProgrammeAccounts {
      airline_iata_code: airlineIataCode
      account_number: accountNumber
    }
  }
  conditions {
    refund_before_departure: refundBeforeDeparture ${condition}
    change_before_departure: changeBeforeDeparture ${condition}
  }
  payment_requirements: paymentRequirements {
    requires_instant_payment: requiresInstantPayment
    price_guarantee_expires_at: priceGuaranteeExpiresAt
    payment_required_by: paymentRequiredBy
  }
}`;

export const flightRoutes: readonly Route[] = [
  {
    name: 'searchFlights',
    method: 'post',
    path: '/flights/search',
    status: 200,
    envelope: 'bare',
    tag: 'Flights',
    summary: 'Search flight offers, priced for the agency',
    example: (departureDate) => ({
      type: 'one_way',
      slices: [{ origin: 'GRU', destination: 'GIG', departureDate }],
      passengers: [{ type: 'adult', count: 1 }],
      cabinClass: 'economy',
    }),
    answerExample: offerRequest,
    refusals: [
      validationError({ field: 'slices.0.origin', type: 'invalid' }, badValueMessages.airport),
      validationError({ field: 'slices.0.departureDate', type: 'invalid' }, badValueMessages.departureDate),
      validationError(
        { field: 'slices.0.departureDate', type: 'not_in_future' },
        'Departure date in the past',
      ),
      searchUnavailable('timeout'),
      searchUnavailable('failed'),
      searchUnavailable('not_connected'),
      rateUnavailable('USD', 'too_old'),
      rateUnavailable('USD', 'missing'),
    ],
    document: `query SearchFlights(
      $type: TripType!
      $slices: [FlightSliceInput!]!
      $passengers: [FlightPassengerInput!]!
      $cabinClass: CabinClass
    ) {
      flightSearch(search: { type: $type, slices: $slices, passengers: $passengers, cabinClass: $cabinClass }) {
        id
        offers ${offer}
        slices { origin ${place} destination ${place} departure_date: departureDate }
        passengers { id type }
      }
    }`,
  },
];
